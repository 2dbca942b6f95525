//! Tests of the permissions of written files, and of writing in shared directories such as `/tmp`.

use super::golden::Folder;
use super::{says, why};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown, symlink};
use std::path::Path;
use std::process::Command;
use vierbein::io::npz::NpzWriter;
use vierbein::io::safetensors::SafetensorsWriter;
use vierbein::prelude::*;
use vierbein::{Error, tensor};

/// Ids of two users. No accounts with these ids need to exist.
const OWNER_OF_DIRECTORY: u32 = 54_321;
const OTHER: u32 = 54_322;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

type Write = fn(&Path) -> Result<(), Error>;
const WRITERS: [Write; 3] = [
    |path| tensor![1, 2, 3].write_npy(path),
    |path| NpzWriter::new().push(&tensor![1, 2, 3])?.write(path),
    |path| SafetensorsWriter::new().add("x", &tensor![1, 2, 3])?.write(path),
];

#[test]
fn writers_keep_the_permissions_of_an_existing_file() {
    let folder = Folder::new();
    // `plain` has the permissions of a newly created file.
    let plain = folder.file("plain");
    fs::write(&plain, "").unwrap();
    for write in WRITERS {
        let path = folder.file("x");
        write(&path).unwrap();
        assert_eq!(mode(&path), mode(&plain));
        for old in [0o600, 0o640, 0o664, 0o700] {
            set_mode(&path, old);
            write(&path).unwrap();
            assert_eq!(mode(&path), old);
        }
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(folder.names(), ["plain"]);
}

/// Returns whether this process may change the owner of files. If not, prints that `test` is skipped.
fn can_change_owners(folder: &Folder, test: &str) -> bool {
    let probe = folder.file("probe");
    fs::write(&probe, "").unwrap();
    let changed = chown(&probe, Some(OTHER), None);
    fs::remove_file(&probe).unwrap();
    if let Err(error) = &changed {
        println!("skipped: {test}: only root can give files to other users: {error}");
    }
    changed.is_ok()
}

/// Creates a directory with the permissions of `/tmp`, which belongs to the user `OWNER_OF_DIRECTORY`.
fn sticky(folder: &Folder) -> std::path::PathBuf {
    let sticky = folder.file("sticky");
    fs::create_dir(&sticky).unwrap();
    chown(&sticky, Some(OWNER_OF_DIRECTORY), None).unwrap();
    set_mode(&sticky, 0o1777);
    sticky
}

#[test]
fn writers_follow_their_own_links_in_sticky_directories() {
    let folder = Folder::new();
    let (sticky, target) = (folder.file("sticky"), folder.file("target"));
    fs::create_dir(&sticky).unwrap();
    set_mode(&sticky, 0o1777);
    symlink(&target, sticky.join("link")).unwrap();
    // In the first round, the target of the link does not exist.
    for _ in 0..2 {
        tensor![1, 2].write_npy(sticky.join("link")).unwrap();
        assert_eq!(Tensor::<i32, Rank<1>>::read_npy(&target), Ok(tensor![1, 2]));
    }
    assert!(fs::symlink_metadata(sticky.join("link")).unwrap().is_symlink());
}

#[test]
fn writers_reject_links_of_other_users_in_sticky_directories() {
    let folder = Folder::new();
    if !can_change_owners(&folder, "writers_reject_links_of_other_users_in_sticky_directories") {
        return;
    }
    let sticky = sticky(&folder);
    let own = fs::metadata(folder.file("")).unwrap().uid();
    let (target, missing) = (folder.file("target"), folder.file("missing"));
    let (link, dangling, directory) =
        (sticky.join("link"), sticky.join("dangling"), sticky.join("directory"));
    let chain = folder.file("chain");
    symlink(&target, &link).unwrap();
    symlink(&missing, &dangling).unwrap();
    symlink("..", &directory).unwrap();
    // This link belongs to the current user, and is in a directory of the current user. Its target is a link of another user.
    symlink("sticky/link", &chain).unwrap();
    let write_all = |owner: u32| {
        for link in [&link, &dangling, &directory] {
            lchown(link, Some(owner), None).unwrap();
        }
        fs::write(&target, "old").unwrap();
        let mut results = Vec::new();
        for write in WRITERS {
            for path in [&link, &dangling, &chain, &directory.join("target"), &directory.join("missing")] {
                results.push(write(path));
                let _ = fs::remove_file(&missing);
            }
        }
        results
    };
    for owner in [own, OWNER_OF_DIRECTORY] {
        assert_eq!(write_all(owner), vec![Ok(()); 15], "links of {owner}");
        assert_ne!(fs::read(&target).unwrap(), b"old");
    }
    for (k, result) in write_all(OTHER).into_iter().enumerate() {
        let name = ["link", "dangling", "link", "directory", "directory"][k % 5];
        let error = why(result);
        let place = sticky.join(name);
        says(&error, ": cannot be written: ");
        says(
            &error,
            &format!("`{}` is a symbolic link that belongs to another user (ID {OTHER})", place.display()),
        );
        says(&error, "pass the path that it points to");
    }
    assert_eq!(fs::read(&target).unwrap(), b"old");
    assert!(!missing.exists());

    // Links of another user are accepted in a directory that other users cannot write to, and in a directory without the sticky bit.
    for mode in [0o1755, 0o777] {
        set_mode(&sticky, mode);
        assert_eq!(write_all(OTHER), vec![Ok(()); 15], "{mode:o}");
    }
}

#[test]
fn writers_reject_files_and_pipes_of_other_users_in_sticky_directories() {
    let folder = Folder::new();
    if !can_change_owners(&folder, "writers_reject_files_and_pipes_of_other_users_in_sticky_directories") {
        return;
    }
    let sticky = sticky(&folder);
    let (file, pipe) = (sticky.join("file"), sticky.join("pipe"));
    fs::write(&file, "old").unwrap();
    match Command::new("mkfifo").arg(&pipe).status() {
        Ok(made) if made.success() => {}
        other => return println!("skipped: `mkfifo` fails: {other:?}"),
    }
    for path in [&file, &pipe] {
        chown(path, Some(OTHER), None).unwrap();
        set_mode(path, 0o666);
        for write in WRITERS {
            let error = why(write(path));
            says(&error, &format!("`{}` belongs to another user (ID {OTHER})", path.display()));
            says(&error, "; choose another path");
        }
    }
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(fs::read_dir(&sticky).unwrap().count(), 2);

    // Files and pipes that belong to the owner of the directory are accepted.
    chown(&file, Some(OWNER_OF_DIRECTORY), None).unwrap();
    chown(&pipe, Some(OWNER_OF_DIRECTORY), None).unwrap();
    for write in WRITERS {
        write(&file).unwrap();
    }
    let expected = fs::read(&file).unwrap();
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || fs::read(pipe).unwrap())
    };
    WRITERS[2](&pipe).unwrap();
    assert_eq!(reader.join().unwrap(), expected);
    assert!(!fs::symlink_metadata(&pipe).unwrap().is_file());
}
