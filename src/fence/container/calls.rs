//! The filter of system calls: what reaches other processes, the kernel, or around the other layers.
//! What a program may do without is told to be missing (ENOSYS), so that it does without; the rest is not permitted.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};

use super::Error;
use crate::sys::powers;

/// What is denied whatever it is given.
const DENIED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Keys, programs and events of the kernel.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    // Other views of the files.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_setns,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
];

/// What is told to be missing. What `clone3` is asked for stands where no filter looks; the C library then asks by `clone`.
const MISSING: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_clone3,
];

/// New namespaces.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    // CLONE_NEWTIME
    0x80,
];

/// Words put into a terminal as if they were typed there, and what a console is told.
const INJECTING: &[u64] = &[libc::TIOCSTI as u64, libc::TIOCLINUX as u64];

/// Kinds of sockets that there are: paths and names, the internet, and questions to the kernel.
const FAMILIES: &[i32] = &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// The bits of the type of a socket that are no flags.
const TYPE: u64 = 0xf;

/// The bit of the numbers of another interface of this very architecture (x32), which would pass by all of it.
const OTHER_INTERFACE: u32 = 0x4000_0000;

/// A call that nothing makes any more, and what the filter answers to it: so whoever is inside knows that it is ours.
const ASKED: i64 = libc::SYS_lookup_dcookie;
const ANSWER: i32 = 1789;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Puts the filter on this process and all that it starts.
pub(super) fn filter() -> Result<(), Error> {
    let mut denied: Rules = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    denied.insert(libc::SYS_unshare, namespaces()?);
    // The flags come first on all architectures that are known here.
    denied.insert(libc::SYS_clone, namespaces()?);
    denied.insert(libc::SYS_ioctl, injecting()?);
    denied.insert(libc::SYS_socket, sockets()?);
    denied.insert(libc::SYS_prlimit64, others()?);
    let missing: Rules = MISSING.iter().map(|call| (*call, Vec::new())).collect();
    for (rules, answer) in [(missing, libc::ENOSYS), (denied, libc::EPERM)] {
        let program = program(rules, answer)?;
        apply_filter(&program)?;
    }
    Ok(())
}

fn program(rules: Rules, answer: i32) -> Result<BpfProgram, seccompiler::Error> {
    let answer = SeccompAction::Errno(answer.cast_unsigned());
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, target)?;
    let rest: BpfProgram = filter.try_into()?;
    let load = sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 };
    let is_other = sock_filter { code: 0x35, jt: 0, jf: 1, k: OTHER_INTERFACE };
    let missing = 0x0005_0000 | libc::ENOSYS.cast_unsigned();
    let end = sock_filter { code: 0x06, jt: 0, jf: 0, k: missing };
    let asked = u32::try_from(ASKED).unwrap_or_default();
    let is_asked = sock_filter { code: 0x15, jt: 0, jf: 1, k: asked };
    let answer = sock_filter { code: 0x06, jt: 0, jf: 0, k: 0x0005_0000 | ANSWER.cast_unsigned() };
    Ok([load, is_other, end, is_asked, answer].into_iter().chain(rest).collect())
}

/// Returns whether this filter is on the process. Who can put on one that answers the same is held by none, and runs what it likes already.
pub(super) fn is_on() -> bool {
    powers::answer_to(ASKED) == Some(ANSWER)
}

fn condition(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::Error> {
    Ok(SeccompCondition::new(argument, length, operator, value)?)
}

fn namespaces() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let one = |flag: &i32| {
        let flag = u64::from(flag.cast_unsigned());
        let is_set = SeccompCmpOp::MaskedEq(flag);
        let condition = condition(0, SeccompCmpArgLen::Dword, is_set, flag)?;
        Ok(SeccompRule::new(vec![condition])?)
    };
    NAMESPACES.iter().map(one).collect()
}

/// The kernel looks at 32 bits of what is asked of a device.
fn injecting() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let one = |request: &u64| {
        let condition = condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *request)?;
        Ok(SeccompRule::new(vec![condition])?)
    };
    INJECTING.iter().map(one).collect()
}

/// The limits of other processes than the one that asks.
fn others() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let is_other = condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    let is_set = condition(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    Ok(vec![SeccompRule::new(vec![is_other, is_set])?])
}

fn sockets() -> Result<Vec<SeccompRule>, seccompiler::Error> {
    let family = |operator: fn() -> SeccompCmpOp, family: i32| {
        let family = u64::from(family.cast_unsigned());
        condition(0, SeccompCmpArgLen::Dword, operator(), family)
    };
    let unknown = FAMILIES.iter().map(|known| family(|| SeccompCmpOp::Ne, *known));
    let mut rules = vec![SeccompRule::new(unknown.collect::<Result<_, _>>()?)?];
    for internet in [libc::AF_INET, libc::AF_INET6] {
        let raw = u64::from(libc::SOCK_RAW.cast_unsigned());
        let is_raw = condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(TYPE), raw)?;
        rules.push(SeccompRule::new(vec![family(|| SeccompCmpOp::Eq, internet)?, is_raw])?);
    }
    Ok(rules)
}
