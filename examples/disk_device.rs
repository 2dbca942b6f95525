//! A device that is defined outside the crate. Its tensors are in memory-mapped files, and can be larger than the memory that the
//! program may allocate.
//!
//! `cargo run --release --example disk_device` uses the defaults. To choose the side of the matrix and the memory limit in MiB,
//! append for example `-- 16384 256`.
//!
//! A device implements memory (the trait `Device`), and one trait for each family of operations that it supports. The device `Disk`
//! supports strided copies and reductions, in a few lines each: its memory is accessible from the host, so it passes its operands
//! to the host's kernels. It supports neither arithmetic nor products. So `&x + &x` and `x.matmul(&x)` do not compile, and the
//! compiler reports what is missing:
//!
//! ```text
//! error[E0277]: the device `Disk` has no elementwise operations on tensors of `f64`
//!   = note: compute on the host: `.to_device::<Cpu>()?`; or implement `Elementwise<f64>` for the device
//! ```

use memmap2::MmapMut;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use vierbein::Error;
use vierbein::device::{Copy, Device, HostAccess, HostPtr, Operand, Output, Reduce, Reduction};
use vierbein::prelude::*;

/// A device that stores tensors as files in a directory.
#[derive(Debug, Clone)]
pub(crate) struct Disk {
    folder: Arc<Path>,
}

/// The buffer of a tensor: a memory-mapped file of elements. The file is deleted when the buffer is dropped.
#[derive(Debug)]
pub(crate) struct Mapping<T> {
    /// `None` if there are no elements, because a mapping cannot be empty.
    map: Option<MmapMut>,
    path: PathBuf,
    len: usize,
    elements: std::marker::PhantomData<T>,
}

impl<T> Drop for Mapping<T> {
    fn drop(&mut self) {
        // Ends the mapping first, because some systems cannot delete a mapped file.
        self.map = None;
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Disk {
    pub(crate) fn new(folder: impl AsRef<Path>) -> std::io::Result<Disk> {
        std::fs::create_dir_all(&folder)?;
        Ok(Disk { folder: folder.as_ref().into() })
    }

    fn file(&self, bytes: u64) -> std::io::Result<(File, PathBuf)> {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let number = FILES.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{}-{number}.tensor", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        // A new file reads as zeros, which are valid for every element type.
        file.set_len(bytes)?;
        Ok((file, path))
    }
}

// SAFETY: a buffer has the requested elements, which are initialised with zeros, until it is dropped: the mapping does not move,
// and only this process accesses the file. `ptr` and `ptr_mut` return the address of the first element, which is aligned, because
// mappings begin at a page boundary. `read` and `write` access only the range that they are given. All instances use the same
// address space, so `same_instance` may return `true`.
unsafe impl Device for Disk {
    type Buffer<T: Element> = Mapping<T>;
    type Ptr<T: Element> = HostPtr<T>;

    fn name(&self) -> String {
        format!("Disk({})", self.folder.display())
    }
    fn same_instance(&self, _: &Self) -> bool {
        true // a pointer is an address in this process, whatever the directory
    }
    fn alloc<T: Element>(&self, len: usize) -> Result<Mapping<T>, Error> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.ok_or(Error::Overflow { shape: vec![len], element_bytes: size_of::<T>() })?;
        let failed = |error: std::io::Error| Error::File {
            path: self.folder.display().to_string(),
            reason: format!("a file of {bytes} bytes for a tensor: {error}"),
        };
        let (file, path) = self.file(bytes as u64).map_err(failed)?;
        let mut mapping = Mapping { map: None, path, len, elements: std::marker::PhantomData };
        if bytes > 0 {
            // SAFETY: the file was just created under a name that contains the process ID, so only this process accesses it.
            mapping.map = Some(unsafe { MmapMut::map_mut(&file) }.map_err(failed)?);
        }
        Ok(mapping)
    }
    /// A new file contains zeros. The default implementation would allocate zeros in host memory and copy them to the file.
    fn alloc_zeroed<T: Element>(&self, len: usize) -> Result<Mapping<T>, Error> {
        self.alloc(len)
    }
    fn len<T: Element>(buffer: &Mapping<T>) -> usize {
        buffer.len
    }
    fn ptr<T: Element>(buffer: &Mapping<T>) -> HostPtr<T> {
        let start =
            buffer.map.as_ref().map_or(NonNull::dangling().as_ptr(), |map| map.as_ptr().cast_mut().cast());
        HostPtr::new(start)
    }
    fn ptr_mut<T: Element>(buffer: &mut Mapping<T>) -> HostPtr<T> {
        let start = buffer.map.as_mut().map_or(NonNull::dangling().as_ptr(), |map| map.as_mut_ptr().cast());
        HostPtr::new(start)
    }
    fn offset<T: Element>(ptr: HostPtr<T>, elements: isize) -> HostPtr<T> {
        Cpu::offset(ptr, elements)
    }
    unsafe fn read<T: Element>(&self, from: HostPtr<T>, to: &mut [T]) -> Result<(), Error> {
        // SAFETY: `Cpu::read` has the contract of `Device::read`, which the caller ensures. `from` is a host address, as it is for
        // `Cpu`.
        unsafe { Cpu.read(from, to) }
    }
    unsafe fn write<T: Element>(&self, from: &[T], to: HostPtr<T>) -> Result<(), Error> {
        // SAFETY: `Cpu::write` has the contract of `Device::write`, which the caller ensures. `to` is a host address, as it is for
        // `Cpu`.
        unsafe { Cpu.write(from, to) }
    }
}

// SAFETY: a mapping does not move until its buffer is dropped. The pointers of `Disk` are host addresses, which `host_ptr` returns
// unchanged. They are aligned, because a mapping begins at a page boundary, and its elements may be read and written. The address of an
// empty buffer is dangling, but not null.
unsafe impl HostAccess for Disk {
    fn host_ptr<T: Element>(ptr: HostPtr<T>) -> *mut T {
        Cpu::host_ptr(ptr)
    }
}

impl<T: Element> Copy<T> for Disk {
    fn copy(&self, out: Output<'_, T, Disk>, a: Operand<'_, T, Disk>) -> Result<(), Error> {
        Cpu.copy(out.on_host(), a.on_host())
    }
}

impl<T: Element> Reduce<T> for Disk {
    fn reduce<R: Reduction<T>>(
        &self,
        op: &R,
        out: Output<'_, R::Output, Disk>,
        a: Operand<'_, T, Disk>,
    ) -> Result<(), Error> {
        Cpu.reduce(op, out.on_host(), a.on_host())
    }
}

/// Limits the memory that the program can allocate: allocations that exceed the limit fail. Memory-mapped files do not count.
#[cfg(target_os = "linux")]
fn limit_memory(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: `limit` is a valid structure that outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_DATA, &limit) }, 0, "the limit can be lowered");
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<usize> =
        std::env::args().skip(1).map(|argument| argument.parse()).collect::<Result<_, _>>()?;
    let n = arguments.first().copied().unwrap_or(8192);
    let limit = arguments.get(1).copied().unwrap_or(128);
    let disk = Disk::new(std::env::temp_dir().join(format!("vierbein-disk-{}", std::process::id())))?;

    // By default, the matrix is four times as large as this limit, so it cannot be in memory.
    #[cfg(target_os = "linux")]
    limit_memory((limit as u64) << 20);
    let bytes = n * n * size_of::<f64>();
    println!("{n} × {n} f64 = {} MiB in a file, {limit} MiB of memory", bytes >> 20);
    let in_memory = Tensor::<f64, Rank<2>>::try_zeros([n, n]);
    match &in_memory {
        Ok(_) => println!("in memory: there is room"),
        Err(error) => println!("in memory: {error}"),
    }
    let too_large = cfg!(target_os = "linux") && bytes > limit << 20;
    assert!(in_memory.is_err() || !too_large, "the limit holds");
    drop(in_memory);

    let mut x = Tensor::<f64, Rank<2>, RowMajor, Disk>::try_zeros_in([n, n], &disk)?;
    for (i, row) in x.as_mut_slice().chunks_exact_mut(n).enumerate() {
        row.iter_mut().enumerate().for_each(|(j, x)| *x = (i as f64) - 2.0 * (j as f64));
    }

    // Sums of integers below 2⁵³ are exact, so the results equal the closed forms.
    let triangle = (n * (n - 1) / 2) as f64;
    let trace = x.try_trace(0, 1)?.item();
    println!("trace      {trace:>20}   expected {}", -triangle);
    assert_eq!(trace, -triangle);
    let sum = x.try_sum()?.item();
    println!("sum        {sum:>20}   expected {}", -(n as f64) * triangle);
    assert_eq!(sum, -(n as f64) * triangle);

    let start = std::time::Instant::now();
    let transposed = x.t().try_to_owned()?;
    let columns = transposed.try_sum_axis(1)?;
    println!("transposed into another file, and its rows summed: {:.1} s", start.elapsed().as_secs_f64());
    for j in [0, 1, n / 2, n - 1] {
        assert_eq!(columns[[j]], triangle - 2.0 * (n * j) as f64);
        assert_eq!(transposed[[j, n / 3]], x[[n / 3, j]]);
    }
    println!("{}", columns.slice(s![..4]).to_device::<Cpu>()?);
    let folder = disk.folder.clone();
    drop((x, transposed, columns, disk));
    std::fs::remove_dir(folder)?;
    Ok(())
}
