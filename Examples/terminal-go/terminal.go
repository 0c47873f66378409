// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// A terminal is a window of characters whose keys are read one by one.
type terminal struct {
	file *os.File
	old  unix.Termios
	// shown is what was written last.
	shown string
}

// openTerminal takes over the terminal until close is called.
func openTerminal(file *os.File) (*terminal, error) {
	state, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	if err != nil {
		return nil, err
	}
	t := &terminal{file: file, old: *state}
	// As cfmakeraw does, but a new line still goes to the start of the line.
	state.Iflag &^= unix.BRKINT | unix.ICRNL | unix.INPCK | unix.ISTRIP | unix.IXON
	state.Lflag &^= unix.ECHO | unix.ICANON | unix.IEXTEN | unix.ISIG
	state.Cc[unix.VMIN], state.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(int(file.Fd()), unix.TCSETS, state); err != nil {
		return nil, err
	}
	// The other screen, without a cursor, and lines that are not broken.
	_, err = file.WriteString("\x1b[?1049h\x1b[?25l\x1b[?7l")
	return t, err
}

func (t *terminal) close() {
	_, _ = t.file.WriteString("\x1b[?7h\x1b[?25h\x1b[?1049l")
	_ = unix.IoctlSetTermios(int(t.file.Fd()), unix.TCSETS, &t.old)
}

// size returns the number of columns and rows, at least one each.
func (t *terminal) size() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(int(t.file.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 80, 24
	}
	return int(size.Col), int(size.Row)
}

// show writes all lines, if they are others than before.
func (t *terminal) show(lines []string) error {
	text := "\x1b[H" + strings.Join(lines, "\x1b[K\n") + "\x1b[K\x1b[J"
	if text == t.shown {
		return nil
	}
	t.shown = text
	_, err := t.file.WriteString(text)
	return err
}

// A key is what somebody wants.
type key int

const (
	keyNone key = iota
	keyUp
	keyDown
	keyLeft
	keyRight
	keyPageUp
	keyPageDown
	keyStart
	keyEnd
	keyQuit
)

var sequences = map[string]key{
	"q": keyQuit, "Q": keyQuit, "\x03": keyQuit, "\x04": keyQuit,
	" ": keyPageDown, "b": keyPageUp, "g": keyStart, "G": keyEnd,
	"k": keyUp, "j": keyDown, "h": keyLeft, "l": keyRight,
	"\x1b[A": keyUp, "\x1b[B": keyDown, "\x1b[C": keyRight, "\x1b[D": keyLeft,
	"\x1bOA": keyUp, "\x1bOB": keyDown, "\x1bOC": keyRight, "\x1bOD": keyLeft,
	"\x1b[5~": keyPageUp, "\x1b[6~": keyPageDown,
	"\x1b[H": keyStart, "\x1bOH": keyStart, "\x1b[1~": keyStart, "\x1b[7~": keyStart,
	"\x1b[F": keyEnd, "\x1bOF": keyEnd, "\x1b[4~": keyEnd, "\x1b[8~": keyEnd,
}

// nextKey returns the first key of what was typed, and how many bytes it takes; 0 if more has to follow.
func nextKey(typed string) (key, int) {
	if typed == "" {
		return keyNone, 0
	}
	if typed[0] != '\x1b' {
		return sequences[typed[:1]], 1
	}
	if len(typed) < 2 {
		return keyNone, 0
	}
	if typed[1] != '[' && typed[1] != 'O' {
		// The escape key before another one.
		return keyNone, 1
	}
	for end := 2; end < len(typed); end++ {
		if typed[end] >= '@' && typed[end] <= '~' {
			return sequences[typed[:end+1]], end + 1
		}
	}
	return keyNone, 0
}

// readKeys reads keys until the terminal is closed.
func (t *terminal) readKeys(keys chan<- key) {
	defer close(keys)
	var typed string
	buffer := make([]byte, 256)
	for {
		count, err := t.file.Read(buffer)
		if err != nil || count == 0 {
			return
		}
		typed += string(buffer[:count])
		for {
			key, length := nextKey(typed)
			if length == 0 {
				break
			}
			typed = typed[length:]
			if key != keyNone {
				keys <- key
			}
		}
		if len(typed) > 64 {
			// No key has so many bytes.
			typed = ""
		}
	}
}
