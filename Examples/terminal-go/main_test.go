// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"collectionlayout.example/layoutclient"
	"collectionlayout.example/layoutclient/layoutpb"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
)

// With this variable the tests' binary is the program itself.
const asProgram = "TERMINAL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// startServer starts the server that LAYOUT_SERVER names, with a collection of two sections with 30 rows each.
func startServer(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("LAYOUT_SERVER")
	if binary == "" {
		t.Skip("LAYOUT_SERVER names no server")
	}
	server := exec.Command(binary, "--port", "0", "--store", "memory", "--log-level", "error")
	output, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Kill(); _ = server.Wait() })
	line, _ := bufio.NewReader(output).ReadString('\n')
	address := regexp.MustCompile(`[0-9.]+:[0-9]+`).FindString(line)
	client, err := layoutclient.Dial(address, grpc.WithInsecure())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	contents := &layoutpb.CollectionContents{}
	for section := 0; section < 2; section++ {
		block := &layoutpb.ItemBlock{Count: 30}
		for item := 0; item < 30; item++ {
			block.Widths = append(block.Widths, 80)
			block.Heights = append(block.Heights, 48)
			block.Keys = append(block.Keys, fmt.Sprintf("row %d-%d", section, item))
		}
		contents.Sections = append(contents.Sections, &layoutpb.Section{Key: fmt.Sprint(section),
			Blocks: []*layoutpb.ItemBlock{block}})
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = layoutpb.NewCollectionServiceClient(client).CreateCollection(ctx,
		&layoutpb.CreateCollectionRequest{CollectionId: "rows", Contents: contents,
			Collection: &layoutpb.Collection{DefaultLayout: &layoutpb.LayoutSpec{
				Kind: &layoutpb.LayoutSpec_Flow{Flow: &layoutpb.FlowLayout{
					MinimumLineSpacing:               new(float64),
					HeaderReferenceSize:              &layoutpb.Size{Height: 16},
					SectionHeadersPinToVisibleBounds: true,
				}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func program(address string, arguments ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], append([]string{"rows", "--server", address}, arguments...)...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}

func TestOnePictureIsPrinted(t *testing.T) {
	address := startServer(t)
	output, err := program(address, "--once", "24x8", "--offset", "0x32").Output()
	if err != nil {
		t.Fatal(err)
	}
	// The header is pinned over the first row.
	expect(t, string(output), `
[header 0              ]
└────────┘    └────────┘
┌────────┐    ┌────────┐
│row 0-2 │    │row 0-3 │
└────────┘    └────────┘
┌────────┐    ┌────────┐
│row 0-4 │    │row 0-5 │
└────────┘    └────────┘
`)
	output, err = program(address, "--once", "24x3", "--layout", "list", "--colour", "always").Output()
	if err != nil || !strings.Contains(string(output), "\x1b[38;5;") {
		t.Errorf("%q and %v found", output, err)
	}
	command := program(address, "--once", "24x3", "--layout", `{"flow": {"itemSize": {"width": -1}}}`)
	if output, err := command.CombinedOutput(); err == nil ||
		!strings.Contains(string(output), "FIELD_INVALID") {
		t.Errorf("%q and %v found", output, err)
	}
}

// openPTY returns both ends of a new terminal.
func openPTY(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { near.Close() })
	number, err := unix.IoctlGetInt(int(near.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(near.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return near, far
}

func setSize(t *testing.T, file *os.File, columns, rows uint16) {
	t.Helper()
	size := &unix.Winsize{Col: columns, Row: rows}
	if err := unix.IoctlSetWinsize(int(file.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
}

// A screen collects what the program shows.
type screen struct {
	t    *testing.T
	near *os.File
	read chan string
	all  strings.Builder
}

// until waits until the program shows a text, or fails after a while.
func (s *screen) until(text string) {
	s.t.Helper()
	limit := time.After(20 * time.Second)
	for !strings.Contains(s.all.String(), text) {
		select {
		case more, ok := <-s.read:
			if !ok {
				s.t.Fatalf("the program ended before it showed %q:\n%q", text, s.ending())
			}
			s.all.WriteString(more)
		case <-limit:
			s.t.Fatalf("the program does not show %q:\n%q", text, s.ending())
		}
	}
	s.all.Reset()
}

func (s *screen) ending() string {
	all := s.all.String()
	if extra := len(all) - 300; extra > 0 {
		all = all[extra:]
	}
	return all
}

func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.near, keys); err != nil {
		s.t.Fatal(err)
	}
}

func TestKeysScrollAndTheTerminalsSizeIsFollowed(t *testing.T) {
	address := startServer(t)
	near, far := openPTY(t)
	setSize(t, near, 60, 9)
	before, err := unix.IoctlGetTermios(int(far.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	command := program(address, "--cell", "8x16")
	command.Stdin, command.Stdout, command.Stderr = far, far, far
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	screen := &screen{t: t, near: near, read: make(chan string)}
	go func() {
		defer close(screen.read)
		buffer := make([]byte, 4096)
		for {
			count, err := near.Read(buffer)
			if err != nil {
				return
			}
			screen.read <- string(buffer[:count])
		}
	}()
	// 60 columns hold 5 rows of 80 points each, so that a section has 6 lines of 48 points. 8 rows are 128 points.
	screen.until(" 0,0 of 480×608 ")
	screen.press("\x1b[B")
	screen.until(" 0,32 of 480×608 ")
	screen.press("\x1b[A\x1b[A")
	screen.until(" 0,0 of ")
	screen.press("\x1b[6~")
	screen.until(" 0,96 of ")
	screen.press("\x1b[F")
	screen.until(" 0,480 of ")
	screen.press("\x1b[6~\x1b[5~")
	screen.until(" 0,384 of ")
	screen.press("\x1b[H")
	screen.until(" 0,0 of ")
	setSize(t, near, 50, 20)
	// Now 4 rows in a line, so that a section has 8 lines.
	screen.until(" of 400×800 ")
	screen.press("q")
	screen.until("\x1b[?1049l")
	ended := make(chan error)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case <-screen.read:
			continue
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		}
		break
	}
	after, err := unix.IoctlGetTermios(int(far.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal was left as %+v (%v); it was %+v", after, err, before)
	}
}
