"""Attacks on the operating system, tried inside the jail without any checker before them.

Each is Python that may use all of the language and the modules below. What must come of it is the
name of the exception that it raises, a value that it leaves in `found`, or the signal that ends it.
"""

from __future__ import annotations

import ctypes
import errno
import platform

NUMBERS = {
    "x86_64": {
        "ptrace": 101,
        "kill": 62,
        "tgkill": 234,
        "vfork": 58,
        "clone3": 435,
        "execveat": 322,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "pidfd_open": 434,
        "pidfd_getfd": 438,
        "unshare": 272,
        "setns": 308,
        "mount": 165,
        "umount2": 166,
        "pivot_root": 155,
        "chroot": 161,
        "init_module": 175,
        "bpf": 321,
        "perf_event_open": 298,
        "keyctl": 250,
        "io_uring_setup": 425,
        "userfaultfd": 323,
        "memfd_create": 319,
        "shmget": 29,
        "msgget": 68,
        "semget": 64,
        "mq_open": 240,
        "open_by_handle_at": 304,
        "openat2": 437,
        "statx": 332,
        "personality": 135,
        "seccomp": 317,
        "prctl": 157,
        "landlock_create_ruleset": 444,
        "setuid": 105,
        "capset": 126,
        "reboot": 169,
        "syslog": 103,
        "sched_setaffinity": 203,
        "setpriority": 141,
        "sendmsg": 46,
        "recvmsg": 47,
        "getrandom": 318,
        "inotify_init1": 294,
        "eventfd2": 290,
        "timer_create": 222,
        "modify_ldt": 154,
        "clock_settime": 227,
        "process_madvise": 440,
        "fanotify_init": 300,
    },
}.get(platform.machine(), {})


def system_call(name: str, *arguments: int) -> str:
    """Make a system call, and say by name how it failed, or "done"."""
    libc = ctypes.CDLL(None, use_errno=True)
    result = libc.syscall(NUMBERS[name], *map(ctypes.c_long, arguments))
    return "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]


DENIED = "PermissionError"

FILES = {
    "reads a file": ("open('/etc/passwd').read()", DENIED),
    "writes a file": ("open('/tmp/escaped', 'w').write('x')", DENIED),
    "appends to a file": ("open('/tmp/escaped', 'a')", DENIED),
    "creates a file by its descriptor": ("os.open('/tmp/e', os.O_CREAT | os.O_WRONLY)", DENIED),
    "opens a mere path": ("os.open('/', os.O_PATH)", DENIED),
    "lists a folder": ("os.listdir('/')", DENIED),
    "scans a folder": ("list(os.scandir('/'))", DENIED),
    "asks for a file's size": ("os.stat('/etc/passwd')", DENIED),
    "asks for a link's target": ("os.readlink('/proc/self/exe')", DENIED),
    "asks whether it may read": ("found = os.access('/etc/passwd', os.R_OK)", False),
    "asks whether a file is there": ("pathlib.Path('/etc/passwd').exists()", DENIED),
    "makes a folder": ("os.mkdir('/tmp/escaped')", DENIED),
    "removes a file": ("os.unlink('/tmp/victim')", DENIED),
    "renames a file": ("os.rename('/tmp/victim', '/tmp/taken')", DENIED),
    "makes a symbolic link": ("os.symlink('/etc/passwd', '/tmp/link')", DENIED),
    "makes a hard link": ("os.link('/etc/passwd', '/tmp/link')", DENIED),
    "changes who may read": ("os.chmod('/etc/shadow', 0o777)", DENIED),
    "changes an owner": ("os.chown('/etc/shadow', 1, 1)", DENIED),
    "empties a file": ("os.truncate('/tmp/victim', 0)", DENIED),
    "makes a named pipe": ("os.mkfifo('/tmp/pipe')", DENIED),
    "makes a device": ("os.mknod('/tmp/dev', 0o20666, os.makedev(1, 1))", DENIED),
    "changes a file's times": ("os.utime('/tmp/victim')", DENIED),
    "asks for the working folder": ("os.getcwd()", DENIED),
    "changes the working folder": ("os.chdir('/')", DENIED),
    "leaves its root": ("os.chroot('/')", DENIED),
    "asks for free space": ("os.statvfs('/')", DENIED),
    "makes a temporary file": ("tempfile.TemporaryFile('w', dir='/tmp')", DENIED),
    "opens a database": ("sqlite3.connect('/tmp/escaped.db')", "OperationalError"),
    "has numpy read a file": ("np.fromfile('/etc/passwd')", DENIED),
    "has numpy load an archive": ("np.load('/etc/passwd')", DENIED),
    "has numpy map a file": ("np.memmap('/etc/passwd')", DENIED),
    "imports a module that is not there yet": ("import ftplib", "ModuleNotFoundError"),
    "loads a shared library": ("ctypes.CDLL('/tmp/evil.so')", "OSError"),
}
PROC = {
    "reads its first environment": ("open('/proc/self/environ').read()", DENIED),
    "reads its parent's memory": ("open('/proc/1/mem', 'rb')", DENIED),
    "reads its own map": ("open('/proc/self/maps').read()", DENIED),
    "writes its own memory": ("open('/proc/self/mem', 'r+b')", DENIED),
    "reads the machine's memory": ("open('/dev/mem', 'rb')", DENIED),
    "looks at the shared memory": ("os.listdir('/dev/shm')", DENIED),
}
NETWORK = {
    "opens a socket": ("socket.socket()", DENIED),
    "opens a datagram socket": ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", DENIED),
    "opens a local socket": ("socket.socket(socket.AF_UNIX)", DENIED),
    "opens a pair of sockets": ("socket.socketpair()", DENIED),
    "opens a raw socket": ("socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", DENIED),
    "talks to the kernel's tables": ("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)", DENIED),
    "connects": ("socket.create_connection((b'127.0.0.1', 1))", DENIED),
    "looks up a name": ("socket.getaddrinfo(b'example.org', 80)", "gaierror"),
    "asks for the machine's name": ("os.uname()", DENIED),
    "connects through what it has": ("socket.socket(fileno=0)", DENIED),
}
PROCESSES = {
    "forks": ("os.fork()", DENIED),
    "forks with a terminal": ("pty.fork()", "OSError"),
    "spawns": ("os.posix_spawn('/bin/true', ['true'], {})", DENIED),
    "becomes another program": ("os.execv('/bin/true', ['true'])", DENIED),
    "runs a shell": ("subprocess.run('true', shell=True)", DENIED),
    "starts a thread": ("threading.Thread(target=print).start()", "RuntimeError"),
    "starts a worker": ("multiprocessing.Process(target=print).start()", DENIED),
    "ends its parent": ("os.kill(os.getppid(), 9)", DENIED),
    "ends everybody": ("os.kill(-1, 9)", DENIED),
    "sends itself a signal": ("signal.raise_signal(signal.SIGTERM)", DENIED),
    "catches a signal": ("signal.signal(signal.SIGXCPU, signal.SIG_IGN)", DENIED),
    "sets an alarm": ("signal.setitimer(signal.ITIMER_REAL, 1)", "itimer_error"),
    "becomes root": ("os.setuid(0)", DENIED),
    "takes a better place in the queue": ("os.nice(-5)", DENIED),
    "lifts its limit of memory": (
        "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "ValueError",
    ),
    "lifts its limit of time": ("resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))", "ValueError"),
    "leaves its session": ("os.setsid()", DENIED),
    "asks who its parent is": ("found = os.getppid()", -1),
}
MEMORY = {
    "asks for eight gigabytes": ("bytearray(1 << 33)", "MemoryError"),
    "has numpy ask for eight gigabytes": ("np.ones(1 << 30)", "MemoryError"),
    "fills a list": ("found = [0]\nwhile True: found += found", "MemoryError"),
    "maps memory that it could execute": ("mmap.mmap(-1, 4096, prot=7)", DENIED),
    "shares memory with others": (
        "multiprocessing.shared_memory.SharedMemory(create=True, size=9)",
        DENIED,
    ),
    "reads address nought": ("ctypes.string_at(0)", "SIGSEGV"),
    "never ends": ("while True: pass", "SIGXCPU"),
    "multiplies without end": ("[0] * 10**7 == [0] * 10**7; 7 ** 10**9", "SIGXCPU"),
}
DESCRIPTORS = {
    "reads what its parents opened": (
        "found = [fd for fd in range(2, 4096) if readable(fd)]",
        [],
    ),
    "reads where it writes": ("os.read(1, 1)", DENIED),
    "writes where it reads": ("os.write(0, b'x')", DENIED),
    "writes to the terminal": ("os.write(2, b'x')", DENIED),
    "types for the user": ("fcntl.ioctl(0, termios.TIOCSTI, b'x')", DENIED),
    "copies a descriptor": ("os.dup(0)", DENIED),
    "opens a pipe": ("os.pipe()", DENIED),
    "waits for events": ("select.epoll()", DENIED),
    "maps what it has": ("mmap.mmap(0, 4096)", DENIED),
    "closes what it has": ("os.close(0)", DENIED),
}
SURROUNDINGS: dict[str, tuple[str, object]] = {
    "reads the environment": ("found = dict(os.environ)", {}),
    "reads the environment as C has it": ("found = ctypes_getenv(b'PATH')", None),
    "asks for true chance": ("os.urandom(8)", DENIED),
    "sleeps": ("time.sleep(100)", DENIED),
    # The clock is read without the kernel. The checker keeps it from programs, not the jail.
    "reads the clock": ("found = time.time() > 0", True),
}
ARGUMENTS = {"ptrace": (16, 1), "kill": (1, 9), "tgkill": (1, 1, 9), "prctl": (1, 0)}
CALLS = {
    f"makes the system call {name}": (
        f"found = system_call({name!r}, *{ARGUMENTS.get(name, ())})",
        "EPERM",
    )
    for name in NUMBERS
}
FOREIGN = {"makes a call in the x32 convention": ("ctypes_call(0x40000000 + 39)", "SIGSYS")}

ATTACKS = {
    **FILES,
    **PROC,
    **NETWORK,
    **PROCESSES,
    **MEMORY,
    **DESCRIPTORS,
    **SURROUNDINGS,
    **CALLS,
    **(FOREIGN if platform.machine() == "x86_64" else {}),
}
