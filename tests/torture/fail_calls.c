/* Preloaded, it makes one call to the file system go wrong, whoever makes it, stdio included: a seccomp filter hands
 * such calls to a signal handler, which counts those that are about the folder of SPRINT_CALLS_UNDER and that may go
 * wrong as SPRINT_CALLS_DO says. The one of the number that SPRINT_CALLS_AT has, counted from 1 over all processes,
 * does:
 *   kill        the whole process group is ended, before the call
 *   EIO, EINTR  the call fails
 *   ENOSPC      it fails, and so do all that take room from then on
 *   short       a write writes half of what it was given
 *   unsynced    a sync fails with EIO; other calls do not count
 *   unsyncable  all syncs of folders fail, from there on, as on a file system that has none
 * SPRINT_CALLS_STATE names a file that is shared by all processes and says afterwards what happened: struct state. The
 * file that SPRINT_CALLS_LIST names, if any, gets a line for each call that counts: its number, and where it comes
 * from, by the nearest SPRINT_DEPTH calls within the program. The coarse clock is as fine as the other, so that
 * checkpoints can be due at every step. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "place.h"

#define OURS 0x5350524943414c4cu /* a sixth argument, which none of these calls has: let it through */

enum { MOST_PATH = 4096, SHOWN_PATH = 112 };

struct state {
  atomic_uint n_calls; /* so far */
  uint32_t fired;      /* whether anything was done, */
  uint32_t number;     /* to which call */
  uint32_t unused;
  char path[SHOWN_PATH];
};

static struct state *state;
static const char *under, *deed;
static unsigned at;
static int list = -1; /* the file of SPRINT_CALLS_LIST */
static struct place place;

/* What a call is about: a path, maybe from an open folder, or a descriptor. */
enum about { PATH, AT_PATH, DESCRIPTOR };

static const struct call {
  int number;
  enum about about;
  bool takes_room; /* a full disk refuses it */
} calls[] = {
    {SYS_open, PATH, true},           {SYS_openat, AT_PATH, true},      {SYS_creat, PATH, true},
    {SYS_read, DESCRIPTOR, false},    {SYS_pread64, DESCRIPTOR, false}, {SYS_write, DESCRIPTOR, true},
    {SYS_pwrite64, DESCRIPTOR, true}, {SYS_writev, DESCRIPTOR, true},   {SYS_lseek, DESCRIPTOR, false},
    {SYS_close, DESCRIPTOR, false},   {SYS_fsync, DESCRIPTOR, true},    {SYS_fdatasync, DESCRIPTOR, true},
    {SYS_flock, DESCRIPTOR, false},   {SYS_fchmod, DESCRIPTOR, false},  {SYS_ftruncate, DESCRIPTOR, true},
    {SYS_fstat, DESCRIPTOR, false},   {SYS_newfstatat, AT_PATH, false}, {SYS_stat, PATH, false},
    {SYS_statfs, PATH, false},        {SYS_readlink, PATH, false},      {SYS_getdents64, DESCRIPTOR, false},
    {SYS_access, PATH, false},        {SYS_rename, PATH, true},         {SYS_renameat, AT_PATH, true},
    {SYS_renameat2, AT_PATH, true},   {SYS_mkdir, PATH, true},          {SYS_mkdirat, AT_PATH, true},
    {SYS_rmdir, PATH, false},         {SYS_unlink, PATH, false},        {SYS_unlinkat, AT_PATH, false},
    {SYS_link, PATH, true},           {SYS_linkat, AT_PATH, true},
};
enum { N_CALLS = sizeof calls / sizeof calls[0] };

static long call(long number, long a, long b, long c, long d, long e) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = (long)OURS;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/* Where an open file is, or was. */
static size_t path_of(int descriptor, char *path) {
  char link[32] = "/proc/self/fd/";
  size_t n = strlen(link), digits = 1;
  for (int rest = descriptor / 10; rest; rest /= 10) digits++;
  for (size_t i = digits; i-- > 0; descriptor /= 10) link[n + i] = (char)('0' + descriptor % 10);
  link[n + digits] = '\0';
  long length = descriptor < 0 ? -1 : call(SYS_readlink, (long)link, (long)path, MOST_PATH - 1, 0, 0);
  return length < 0 ? 0 : (size_t)length;
}

/* A path, from the working folder where it is relative to that. */
static size_t copy_path(const char *from, char *path) {
  long start = *from == '/' ? 0 : call(SYS_readlink, (long)"/proc/self/cwd", (long)path, MOST_PATH - 2, 0, 0);
  if (*from != '/' && start > 0) path[start++] = '/';
  size_t begin = start > 0 ? (size_t)start : 0, room = MOST_PATH - 1 - begin;
  size_t length = strlen(from) < room ? strlen(from) : room;
  memcpy(path + begin, from, length);
  return begin + length;
}

/* What the call is about, as far as can be said: paths from folders that are open count as these. */
static void find_path(const struct call *found, const greg_t *registers, char *path) {
  long a = registers[REG_RDI];
  const char *second = (const char *)registers[REG_RSI];
  size_t length;
  if (found->about == PATH)
    length = copy_path((const char *)a, path);
  else if (found->about == AT_PATH && ((int)a == AT_FDCWD || *second == '/'))
    length = copy_path(second, path);
  else
    length = path_of((int)a, path);
  path[length] = '\0';
}

static void end_all(void) {
  call(SYS_kill, 0, SIGKILL, 0, 0, 0);
  for (;;) call(SYS_pause, 0, 0, 0, 0, 0);
}

static void note(const struct call *found, const char *path) {
  state->fired = 1;
  state->number = (uint32_t)found->number;
  size_t length = strlen(path) < SHOWN_PATH ? strlen(path) : SHOWN_PATH - 1;
  memcpy(state->path, path, length);
}

static bool does(const char *what) { return strcmp(deed, what) == 0; }

static bool is_folder(long descriptor) {
  struct stat info;
  return call(SYS_fstat, descriptor, (long)&info, 0, 0, 0) == 0 && S_ISDIR(info.st_mode);
}

static bool can_go_wrong(const struct call *found, long descriptor, long length) {
  if (does("unsynced")) return found->number == SYS_fsync;
  if (does("unsyncable")) return found->number == SYS_fsync && is_folder(descriptor);
  if (does("ENOSPC")) return found->takes_room;
  if (does("short")) return (found->number == SYS_write || found->number == SYS_pwrite64) && length > 1;
  return true;
}

static void list_it(unsigned number) {
  char line[64];
  int length = snprintf(line, sizeof line, "%u %llx\n", number, (unsigned long long)place_here(&place));
  call(SYS_write, list, (long)line, length, 0, 0);
}

/* 0, or minus the error with which the call is to fail. */
static long doom(const struct call *found, const char *path, long descriptor, long *length) {
  if (!can_go_wrong(found, descriptor, *length)) return 0;
  unsigned count = ++state->n_calls;
  if (list >= 0) list_it(count);
  if (count > at && at > 0 && does("ENOSPC")) return -ENOSPC;
  if (count > at && at > 0 && does("unsyncable")) return -EINVAL;
  if (count != at) return 0;
  note(found, path);
  if (does("kill")) end_all();
  if (does("short")) *length /= 2;
  if (does("unsyncable")) return -EINVAL;
  return does("ENOSPC") ? -ENOSPC : does("EIO") || does("unsynced") ? -EIO : does("EINTR") ? -EINTR : 0;
}

static void on_call(int number, siginfo_t *info, void *where) {
  greg_t *registers = ((ucontext_t *)where)->uc_mcontext.gregs;
  const struct call *found = calls;
  char path[MOST_PATH];
  (void)number;
  while (found->number != info->si_syscall) found++;
  find_path(found, registers, path);
  long length = registers[REG_RDX], result = 0;
  if (strstr(path, under)) result = doom(found, path, registers[REG_RDI], &length);
  if (result == 0 || found->number == SYS_close) { /* a close that fails has closed */
    long done =
        call(info->si_syscall, registers[REG_RDI], registers[REG_RSI], length, registers[REG_R10], registers[REG_R8]);
    if (result == 0) result = done;
  }
  registers[REG_RAX] = result;
}

/* Those of the list, unless the handler makes them itself. */
static bool install_filter(void) {
  enum { ROOM = N_CALLS + 8 };
  struct sock_filter code[ROOM];
  size_t n = 0;
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < N_CALLS; i++) {
    uint8_t to_check = (uint8_t)(N_CALLS - i);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i].number, to_check, 0);
  }
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]));
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)OURS, 0, 3);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[5]) + 4);
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(OURS >> 32), 0, 1);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
  struct sock_fprog program = {(unsigned short)n, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The signal must never be blocked: a process that makes such a call then is ended. */
int sigprocmask(int how, const sigset_t *set, sigset_t *before) {
  int (*real)(int, const sigset_t *, sigset_t *);
  sigset_t without;
  *(void **)&real = dlsym(RTLD_NEXT, "sigprocmask");
  if (!set || how == SIG_UNBLOCK) return real(how, set, before);
  without = *set;
  sigdelset(&without, SIGSYS);
  return real(how, &without, before);
}

int clock_gettime(clockid_t clock, struct timespec *ret_time) {
  return (int)syscall(SYS_clock_gettime, clock == CLOCK_MONOTONIC_COARSE ? CLOCK_MONOTONIC : clock, ret_time);
}

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("SPRINT_CALLS_STATE"), *number = getenv("SPRINT_CALLS_AT"),
             *listed = getenv("SPRINT_CALLS_LIST");
  struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
  under = getenv("SPRINT_CALLS_UNDER");
  deed = getenv("SPRINT_CALLS_DO");
  if (!path || !number || !under || !deed) return;
  at = (unsigned)strtoul(number, NULL, 10);
  place = place_start();
  if (listed) list = open(listed, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) _exit(120);
  state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (state == MAP_FAILED || sigaction(SIGSYS, &action, NULL) != 0 || !install_filter()) _exit(120);
}
