package command

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A task is what /proc says of a process.
type task struct {
	pid, parent, session int
	zombie               bool
}

const leastLooks = 4

// maxPinned bounds the process handles held at one time.
const maxPinned = 128

// sweep kills every process that is in session, or carries tag in its
// environment, or descends from one that does, until a look finds none. A
// session of 0 matches nobody. On a machine so busy that leastLooks take longer
// than sweepTime, nobody is to survive for that.
func sweep(session int, tag string) {
	deadline := time.Now().Add(sweepTime)
	for looks := 0; looks < leastLooks || time.Now().Before(deadline); looks++ {
		found := relatives(session, tag)
		if len(found) == 0 {
			return
		}
		killPinned(found[:min(len(found), maxPinned)], session, tag)
		time.Sleep(2 * time.Millisecond)
	}
}

// killPinned kills the processes that were seen under these numbers. A number
// may have passed on since: a handle pins whoever has it now, and a second look
// tells a stranger.
func killPinned(pids []int, session int, tag string) {
	pinned := map[int]int{}
	for _, pid := range pids {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			pinned[pid] = fd
		}
	}
	for _, pid := range relatives(session, tag) {
		if fd, ok := pinned[pid]; ok {
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
	}
	for _, fd := range pinned {
		unix.Close(fd)
	}
}

// hasOthers reports whether a living process besides its leader is in session.
func hasOthers(session int) bool {
	for _, t := range tasks() {
		if t.session == session && t.pid != session && !t.zombie {
			return true
		}
	}
	return false
}

// relatives are the living processes that sweep is after, descendants included.
func relatives(session int, tag string) []int {
	all := tasks()
	related := map[int]bool{}
	for _, t := range all {
		if belongs(t, session, tag) {
			related[t.pid] = true
		}
	}
	for grown := len(related) > 0; grown; {
		grown = false
		for _, t := range all {
			if !related[t.pid] && related[t.parent] {
				related[t.pid], grown = true, true
			}
		}
	}
	var living []int
	for _, t := range all {
		if related[t.pid] && !t.zombie {
			living = append(living, t.pid)
		}
	}
	return living
}

func belongs(t task, session int, tag string) bool {
	if session != 0 && t.session == session {
		return true
	}
	return !t.zombie && hasTag(t.pid, tag)
}

// hasTag reports whether tag is among those the process was started with: a
// hook that runs hooks hands its own tag on.
func hasTag(pid int, tag string) bool {
	env := readProc(pid, "environ", nil) // none: gone, or another user's
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if tags, ok := bytes.CutPrefix(entry, []byte(tagName+"=")); ok {
			return slices.Contains(strings.Split(string(tags), tagSeparator), tag)
		}
	}
	return false
}

// tasks lists the processes of the machine.
func tasks() []task {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var all []task
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if t, ok := readTask(pid); ok {
				all = append(all, t)
			}
		}
	}
	return all
}

// readTask reads /proc/PID/stat, "PID (NAME) STATE PPID PGRP SESSION …", where
// the name may hold anything.
func readTask(pid int) (task, bool) {
	var buf [1 << 10]byte
	stat := readProc(pid, "stat", buf[:0])
	end := bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 4 {
		return task{}, false
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	session, _ := strconv.Atoi(string(fields[3]))
	state := fields[0][0]
	return task{pid: pid, parent: parent, session: session, zombie: state == 'Z' || state == 'X'}, true
}

// readProc reads a file of /proc, into buf if it has the room. There are many of
// them and a sweep may read them all several times, so it asks the system for no
// more than it needs.
func readProc(pid int, name string, buf []byte) []byte {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	for {
		buf = slices.Grow(buf, 512)
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n <= 0 {
			return buf
		}
		buf = buf[:len(buf)+n]
	}
}

// isZombie reports whether a process has ended and was not reaped.
func isZombie(pid int) bool {
	t, ok := readTask(pid)
	return ok && t.zombie
}
