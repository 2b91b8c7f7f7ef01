// As `docker run --cap-add` takes them, and capabilities(7) describes them.
const LINUX_CAPABILITIES = [
  "AUDIT_CONTROL",
  "AUDIT_READ",
  "AUDIT_WRITE",
  "BLOCK_SUSPEND",
  "BPF",
  "CHECKPOINT_RESTORE",
  "CHOWN",
  "DAC_OVERRIDE",
  "DAC_READ_SEARCH",
  "FOWNER",
  "FSETID",
  "IPC_LOCK",
  "IPC_OWNER",
  "KILL",
  "LEASE",
  "LINUX_IMMUTABLE",
  "MAC_ADMIN",
  "MAC_OVERRIDE",
  "MKNOD",
  "NET_ADMIN",
  "NET_BIND_SERVICE",
  "NET_BROADCAST",
  "NET_RAW",
  "PERFMON",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYSLOG",
  "SYS_ADMIN",
  "SYS_BOOT",
  "SYS_CHROOT",
  "SYS_MODULE",
  "SYS_NICE",
  "SYS_PACCT",
  "SYS_PTRACE",
  "SYS_RAWIO",
  "SYS_RESOURCE",
  "SYS_TIME",
  "SYS_TTY_CONFIG",
  "WAKE_ALARM",
] as const;

/**
 * What a product may need beyond a hardened container, by name: `new-privileges` through set-user-ID programs,
 * `root-user`, a `writable-root` file system, or one of the capabilities of Linux, such as `NET_BIND_SERVICE`.
 */
export const PRIVILEGES = ["new-privileges", "root-user", "writable-root", ...LINUX_CAPABILITIES] as const;

/** One of {@link PRIVILEGES}. */
export type Privilege = (typeof PRIVILEGES)[number];
