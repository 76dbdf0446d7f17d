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
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_sign_loss,
    reason = "C libraries give requests of devices different types"
)]
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

/// A call with what it may not be given (whatever it is, where there is none) and what is answered then.
type Row = (i64, Vec<SeccompRule>, i32);

/// Rows that are looked through one by one. The kernel runs a filter once for each call that there is when it is put on, so its length is paid for some
/// hundred times: the rows are found by halves.
const FEW: usize = 3;

// From `linux/bpf_common.h` and `linux/filter.h`.
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const IS_EQUAL: u16 = 0x15;
const IS_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
/// From `linux/seccomp.h`: the call is not made, and ends with this error.
const ERROR: u32 = 0x0005_0000;

/// Puts the filter on this process and all that it starts.
pub(super) fn filter() -> Result<(), Error> {
    Ok(apply_filter(&program()?)?)
}

fn program() -> Result<BpfProgram, seccompiler::Error> {
    let denied = DENIED.iter().map(|call| (*call, Vec::new(), libc::EPERM));
    let missing = MISSING.iter().map(|call| (*call, Vec::new(), libc::ENOSYS));
    let mut rows: Vec<Row> = denied.chain(missing).collect();
    rows.extend([
        (libc::SYS_unshare, namespaces()?, libc::EPERM),
        // The flags come first on all architectures that are known here.
        (libc::SYS_clone, namespaces()?, libc::EPERM),
        (libc::SYS_ioctl, injecting()?, libc::EPERM),
        (libc::SYS_socket, sockets()?, libc::EPERM),
        (libc::SYS_prlimit64, others()?, libc::EPERM),
    ]);
    rows.sort_by_key(|(call, ..)| *call);
    let asked = u32::try_from(ASKED).unwrap_or_default();
    let mut program = vec![
        instruction(LOAD, 0, 0, 0),
        instruction(IS_AT_LEAST, 0, 1, OTHER_INTERFACE),
        instruction(RETURN, 0, 0, ERROR | libc::ENOSYS.cast_unsigned()),
        instruction(IS_EQUAL, 0, 1, asked),
        instruction(RETURN, 0, 0, ERROR | ANSWER.cast_unsigned()),
    ];
    program.extend(halves(&rows)?);
    Ok(program)
}

const fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The program for rows in the order of their calls.
fn halves(rows: &[Row]) -> Result<BpfProgram, seccompiler::Error> {
    let is_one = rows.iter().all(|(.., answer)| *answer == rows[0].2);
    if rows.len() <= FEW && is_one {
        return few(rows);
    }
    let (below, above) = rows.split_at(rows.len() / 2);
    let pivot = u32::try_from(above[0].0).unwrap_or_default();
    let (below, above) = (halves(below)?, halves(above)?);
    let over = u32::try_from(below.len()).unwrap_or_default();
    let choice = [
        instruction(LOAD, 0, 0, 0),
        instruction(IS_AT_LEAST, 0, 1, pivot),
        instruction(JUMP, 0, 0, over),
    ];
    Ok(choice.into_iter().chain(below).chain(above).collect())
}

fn few(rows: &[Row]) -> Result<BpfProgram, seccompiler::Error> {
    let answer = rows.first().map_or(libc::EPERM, |(.., answer)| *answer);
    let answer = SeccompAction::Errno(answer.cast_unsigned());
    let rules = rows.iter().map(|(call, rules, _)| (*call, rules.clone()));
    let rules: BTreeMap<i64, Vec<SeccompRule>> = rules.collect();
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    Ok(SeccompFilter::new(rules, SeccompAction::Allow, answer, target)?.try_into()?)
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
