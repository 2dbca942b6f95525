use super::*;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn denied() -> io::Error {
    io::ErrorKind::PermissionDenied.into()
}

fn is_denied(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::PermissionDenied
}

/// Renames a new file over an old file `x` in a new directory. `rename` fails with `denied` if `rejects` returns `true`. Returns the
/// result, the content of `x` if there is such a file, and the names of all files.
fn rename_over_old(
    test: &str,
    mut rejects: impl FnMut(&Path, &Path) -> bool,
) -> (io::Result<()>, Option<Vec<u8>>, Vec<String>) {
    let directory = std::env::temp_dir().join(format!("vierbein-{test}-{}", std::process::id()));
    fs::create_dir(&directory).unwrap();
    let (new, target) = (directory.join("new"), directory.join("x"));
    fs::write(&new, "new").unwrap();
    fs::write(&target, "old").unwrap();
    let mut rename = |from: &Path, to: &Path| match rejects(from, to) {
        true => Err(denied()),
        false => fs::rename(from, to),
    };
    let result = in_use::rename_if(&is_denied, &new, &target, &mut rename);
    let names = fs::read_dir(&directory).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let found = (result, fs::read(&target).ok(), names.collect());
    fs::remove_dir_all(&directory).unwrap();
    found
}

#[test]
fn rename_waits_for_a_file_that_is_closed_soon() {
    let mut calls = 0;
    let (result, content, names) = rename_over_old("closed-soon", |_, to| {
        assert!(to.ends_with("x"), "nothing is moved away");
        calls += 1;
        calls < 4
    });
    result.unwrap();
    assert_eq!((content, names), (Some(b"new".to_vec()), vec!["x".to_owned()]));
}

#[test]
fn rename_moves_a_mapped_file_away() {
    let (result, content, names) = rename_over_old("mapped", |_, to| to.ends_with("x") && to.exists());
    result.unwrap();
    assert_eq!((content, names), (Some(b"new".to_vec()), vec!["x".to_owned()]));
}

#[test]
fn rename_keeps_a_file_that_cannot_be_moved() {
    let (result, content, names) = rename_over_old("unmovable", |_, _| true);
    let error = result.unwrap_err().to_string();
    assert!(error.contains("is open or memory-mapped and cannot be replaced: drop what reads it"), "{error}");
    assert_eq!((content, names.len()), (Some(b"old".to_vec()), 2));
}

#[test]
fn rename_restores_the_old_file_if_the_new_one_fails() {
    let (result, content, names) = rename_over_old("restored", |from, _| from.ends_with("new"));
    assert!(is_denied(&result.unwrap_err()));
    assert_eq!((content, names.len()), (Some(b"old".to_vec()), 2));
}

#[test]
fn rename_reports_where_the_old_file_is_if_it_cannot_be_restored() {
    let (result, content, names) = rename_over_old("lost", |_, to| to.ends_with("x"));
    let error = result.unwrap_err().to_string();
    let old = names.iter().find(|name| *name != "new").unwrap();
    assert!(error.contains("the old file is now `") && error.contains(&old[..]), "{error} {names:?}");
    assert_eq!((content, names.len()), (None, 2));
}

#[test]
fn rename_reports_other_errors_at_once() {
    let mut calls = 0;
    let mut rename = |_: &Path, _: &Path| {
        calls += 1;
        Err(io::ErrorKind::StorageFull.into())
    };
    let (new, target) = (Path::new("new"), Path::new("x"));
    let error = in_use::rename_if(&is_denied, new, target, &mut rename).unwrap_err();
    assert_eq!((error.kind(), calls), (io::ErrorKind::StorageFull, 1));
}

#[test]
fn failed_write_leaves_old_file_and_no_other_file() {
    let folder = std::env::temp_dir().join(format!("vierbein-replace-{}", std::process::id()));
    fs::create_dir(&folder).unwrap();
    let path = folder.join("x");
    let names = || fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect::<Vec<_>>();
    let broken = || Error::File { path: "x".to_owned(), reason: "the wire is cut".to_owned() };
    let half = |file: &mut File| {
        file.write_all(b"half of the new").unwrap();
        assert_eq!(names().len(), 1 + usize::from(path.exists()));
        Err(broken())
    };
    assert_eq!(replace(&path, half), Err(broken()));
    assert_eq!(names().len(), 0);

    fs::write(&path, "old").unwrap();
    assert_eq!(replace(&path, half), Err(broken()));
    assert_eq!((fs::read(&path).unwrap(), names().len()), (b"old".to_vec(), 1));
    let panics = catch_unwind(AssertUnwindSafe(|| replace(&path, |_| panic!("midway"))));
    assert!(panics.is_err());
    assert_eq!((fs::read(&path).unwrap(), names().len()), (b"old".to_vec(), 1));

    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let rejected = replace(&path, |_| panic!("nothing may be written")).unwrap_err().to_string();
    assert!(rejected.ends_with("x: cannot be written: the file exists and is read-only"), "{rejected}");
    fs::remove_file(&path).unwrap();

    replace(&path, |file| file.write_all(b"new").map_err(|_| broken())).unwrap();
    assert_eq!((fs::read(&path).unwrap(), names().len()), (b"new".to_vec(), 1));
    fs::remove_dir_all(&folder).unwrap();
}

/// The umask belongs to the process, so each umask is tested in a child process.
#[cfg(unix)]
#[test]
fn replace_keeps_the_temporary_private_under_any_umask() {
    use std::os::unix::fs::PermissionsExt;
    const UMASK: &str = "VIERBEIN_TEST_UMASK";
    let Ok(umask) = std::env::var(UMASK) else {
        let name = module_path!().split_once("::").unwrap().1;
        let name = format!("{name}::replace_keeps_the_temporary_private_under_any_umask");
        for umask in ["000", "022", "027", "077"] {
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &format!("umask {umask} && exec \"$0\" \"$@\"")]);
            shell.arg(std::env::current_exe().unwrap()).args(["--exact", &name]).env(UMASK, umask);
            let ran = shell.output().unwrap();
            let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
            assert!(ran.status.success() && said.contains("1 passed"), "umask {umask}: {said}");
        }
        return;
    };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let directory = std::env::temp_dir().join(format!("vierbein-umask-{}", std::process::id()));
    fs::create_dir(&directory).unwrap();
    let path = directory.join("x");
    let names = || fs::read_dir(&directory).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    // `replace` creates its temporary file like this.
    let (file, temporary) = create_in_directory_of(&path, &private()).unwrap();
    assert_eq!((mode(temporary.0.as_ref().unwrap()), file.metadata().unwrap().len()), (0o600, 0));
    drop(temporary);
    assert_eq!(names().len(), 0);

    let write = |file: &mut File| {
        let temporary: Vec<_> = names().into_iter().filter(|name| *name != path).collect();
        assert_eq!((temporary.len(), mode(&temporary[0])), (1, 0o600));
        file.write_all(b"secret").unwrap();
        assert_eq!(mode(&temporary[0]), 0o600);
        Ok(())
    };
    replace(&path, write).unwrap();
    assert_eq!(mode(&path), 0o666 & !u32::from_str_radix(&umask, 8).unwrap());
    for (old, new) in [(0o600, 0o600), (0o640, 0o640), (0o666, 0o666), (0o755, 0o755), (0o4755, 0o755)] {
        fs::set_permissions(&path, Permissions::from_mode(old)).unwrap();
        assert_eq!(mode(&path), old);
        replace(&path, write).unwrap();
        assert_eq!(mode(&path), new, "{old:o}");
    }
    assert_eq!(names(), std::slice::from_ref(&path));
    fs::remove_dir_all(&directory).unwrap();
}

/// Compares with `fs::canonicalize`, an independent implementation that follows the same links.
#[cfg(unix)]
#[test]
fn resolve_agrees_with_canonicalize() {
    use std::os::unix::fs::symlink;
    let directory = std::env::temp_dir().join(format!("vierbein-resolve-{}", std::process::id()));
    fs::create_dir_all(directory.join("a/b")).unwrap();
    fs::write(directory.join("a/b/file"), "").unwrap();
    let directory = fs::canonicalize(&directory).unwrap();
    let links = [
        ("up", "..".to_owned()),
        ("a/to_b", "b/".to_owned()),
        ("a/b/to_file", "./file".to_owned()),
        ("absolute", directory.join("a/to_b/../to_b").display().to_string()),
        ("around", "absolute/../../a/../absolute/to_file".to_owned()),
        ("not_a_directory", "a/b/file/".to_owned()),
        ("dangling", "a/to_b/missing".to_owned()),
        ("a/circle", "to_circle".to_owned()),
        ("a/to_circle", "../a/circle".to_owned()),
    ];
    for (link, to) in &links {
        symlink(to, directory.join(link)).unwrap();
    }
    let mut paths: Vec<_> = [
        "",
        ".",
        "..",
        "/",
        "a",
        "a/",
        "a/.",
        "a//b///file",
        "a/b/file/",
        "a/b/file/.",
        "a/b/file/..",
        "a/b/../b/file",
        "a/to_b/..",
        "a/to_b/../to_b/to_file",
        "missing/..",
        "missing/../a",
        "a/./to_b/./file",
        "absolute/file",
        "around/",
        "../",
        "a/b/..//",
        "/..",
        "/../..",
        "a/b/file/x",
    ]
    .map(String::from)
    .to_vec();
    paths.extend(links.iter().map(|(link, _)| (*link).to_owned()));
    for path in paths {
        let path = match path.starts_with('/') {
            true => PathBuf::from(path),
            false => PathBuf::from(format!("{}/{path}", directory.display())),
        };
        match (links::resolve(&path), fs::canonicalize(&path)) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{path:?}"),
            (Err(_), Err(_)) => {}
            (Ok(found), Err(_)) => {
                assert_eq!((&path, found), (&directory.join("dangling"), directory.join("a/b/missing")));
            }
            (found, expected) => panic!("{path:?}: {found:?}, and {expected:?}"),
        }
    }
    // Paths relative to the package directory, in which tests run.
    for path in ["src", "src/..", "src/../..", "..", "../..", ".", "./src//io/../lib.rs"] {
        let found = links::resolve(Path::new(path)).unwrap();
        assert!(found.is_relative());
        let found = Path::new(".").join(found);
        assert_eq!(fs::canonicalize(found).unwrap(), fs::canonicalize(path).unwrap(), "{path}");
    }
    assert_eq!(links::resolve(Path::new("new")).unwrap(), Path::new("new"));
    fs::remove_dir_all(&directory).unwrap();
}
