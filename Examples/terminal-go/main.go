// SPDX-License-Identifier: Apache-2.0

// Command terminal draws a collection in the terminal, as boxes in the colours of their kinds.
//
//	terminal [OPTION]... COLLECTION
//
// The arrow keys scroll, and so do page up, page down, home and end; q quits. The view has the size of the
// terminal. With --once WIDTHxHEIGHT it prints one picture of that many characters and ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"collectionlayout.example/layoutclient"
	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/protobuf/encoding/protojson"
)

type settings struct {
	server, collection, colour string
	layout                     *layoutpb.LayoutSpec
	cell                       layoutclient.Size
	offset                     layoutclient.Point
	security                   layoutclient.Security
	// The size of the only picture in characters; 0 = the terminal's.
	columns, rows int
}

func main() {
	settings, err := parse(os.Args[1:])
	if err == nil {
		err = run(context.Background(), settings, os.Stdin, os.Stdout)
	}
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "terminal:", err)
		os.Exit(1)
	}
}

func parse(arguments []string) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("terminal", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: terminal [OPTION]... COLLECTION")
		flags.PrintDefaults()
	}
	flags.StringVar(&s.server, "server", "127.0.0.1:50051", "the server's `HOST:PORT`")
	flags.BoolVar(&s.security.TLS, "tls", false, "encrypt; the system has to trust the server's certificate")
	flags.StringVar(&s.security.Authorities, "tls-ca", "", "encrypt; `FILE` with authorities of the server")
	flags.StringVar(&s.security.Certificate, "tls-certificate", "", "`FILE` with the client's certificate")
	flags.StringVar(&s.security.Key, "tls-key", "", "`FILE` with its private key")
	tokenFile := flags.String("token-file", "", "`FILE` with the token to send")
	layout := flags.String("layout", "", "a `LAYOUT`: the name of a kind such as list, or a LayoutSpec as JSON; "+
		"empty = the collection's")
	cell := flags.String("cell", "8x16", "the size of a character in points, `WIDTHxHEIGHT`")
	offset := flags.String("offset", "0x0", "where the view begins in the content, `XxY` in points")
	once := flags.String("once", "", "print one picture of so many characters, `WIDTHxHEIGHT`, and end")
	flags.StringVar(&s.colour, "colour", "auto", "`WHEN` to use colours: auto, always or never")
	if err := flags.Parse(arguments); err != nil {
		return nil, err
	}
	name := flags.Arg(0)
	// Options may follow the collection.
	if flags.NArg() > 1 {
		if err := flags.Parse(flags.Args()[1:]); err != nil {
			return nil, err
		}
		if flags.NArg() > 0 {
			return nil, fmt.Errorf("%q is one argument too many", flags.Arg(0))
		}
	}
	if name == "" {
		return nil, errors.New("which collection? --help shows the options")
	}
	if s.collection = name; !strings.Contains(name, "/") {
		s.collection = "collections/" + name
	}
	if *tokenFile != "" {
		s.security.Token = layoutclient.TokenFile(*tokenFile)
	}
	if s.colour != "auto" && s.colour != "always" && s.colour != "never" {
		return nil, fmt.Errorf("--colour is %q; auto, always and never are allowed", s.colour)
	}
	return s, s.parseNumbers(*layout, *cell, *offset, *once)
}

func (s *settings) parseNumbers(layout, cell, offset, once string) error {
	var err error
	if layout != "" {
		if !strings.HasPrefix(layout, "{") {
			layout = fmt.Sprintf(`{%q: {}}`, layout)
		}
		s.layout = &layoutpb.LayoutSpec{}
		if err := protojson.Unmarshal([]byte(layout), s.layout); err != nil {
			return fmt.Errorf("--layout: %w", err)
		}
	}
	if s.cell.Width, s.cell.Height, err = pair(cell, "--cell", 1, 1000); err != nil {
		return err
	}
	if s.offset.X, s.offset.Y, err = pair(offset, "--offset", 0, 1<<40); err != nil {
		return err
	}
	if once != "" {
		columns, rows, err := pair(once, "--once", 1, 1000)
		if err != nil {
			return err
		}
		s.columns, s.rows = int(columns), int(rows)
	}
	return nil
}

func pair(text, name string, low, high float64) (first, second float64, err error) {
	one, other, _ := strings.Cut(text, "x")
	first, firstErr := strconv.ParseFloat(one, 64)
	second, secondErr := strconv.ParseFloat(other, 64)
	isAllowed := func(number float64) bool { return number >= low && number <= high }
	if firstErr != nil || secondErr != nil || !isAllowed(first) || !isAllowed(second) {
		return 0, 0, fmt.Errorf("%s is %q; two numbers from %v to %v with an x between them are allowed",
			name, text, low, high)
	}
	return first, second, nil
}

func run(ctx context.Context, s *settings, input, output *os.File) error {
	options, err := s.security.DialOptions()
	if err != nil {
		return err
	}
	client, err := layoutclient.Dial(s.server, options...)
	if err != nil {
		return err
	}
	defer client.Close()
	if s.columns > 0 {
		isColoured := s.colour == "always" || s.colour == "auto" && isTerminal(output)
		return once(ctx, client, s, isColoured, output)
	}
	if !isTerminal(input) {
		return errors.New("the input is not a terminal; --once prints a picture without one")
	}
	terminal, err := openTerminal(input)
	if err != nil {
		return err
	}
	defer terminal.close()
	return watch(ctx, client, s, terminal)
}

func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// open opens the session of a view with so many characters.
func (s *settings) open(
	ctx context.Context, client *layoutclient.Client, columns, rows int,
) (*layoutclient.Viewer, error) {
	size := s.viewport(columns, rows)
	return client.Open(ctx, &layoutpb.OpenSession{
		Source: &layoutpb.OpenSession_Collection{Collection: s.collection},
		Layout: s.layout,
		Viewport: &layoutpb.ViewportChange{
			ContentOffset: &layoutpb.Point{X: s.offset.X, Y: s.offset.Y},
			Size:          &layoutpb.Size{Width: size.Width, Height: size.Height},
		},
	})
}

func (s *settings) viewport(columns, rows int) layoutclient.Size {
	return layoutclient.Size{
		Width: float64(columns) * s.cell.Width, Height: float64(rows) * s.cell.Height}
}

// draw returns nil while there is nothing to draw: a new session has no elements before its first frame.
func (s *settings) draw(viewer *layoutclient.Viewer, columns, rows int) *picture {
	var result *picture
	viewer.Read(func(mirror *layoutclient.Mirror, offset layoutclient.Point) {
		if mirror.FrameSeq() > 0 {
			result = newPicture(columns, rows)
			result.draw(mirror.Elements(), projection{offset, s.cell})
		}
	})
	return result
}

// once prints one picture.
func once(
	ctx context.Context, client *layoutclient.Client, s *settings, isColoured bool, output io.Writer,
) error {
	viewer, err := s.open(ctx, client, s.columns, s.rows)
	if err != nil {
		return err
	}
	defer viewer.Close()
	picture := s.draw(viewer, s.columns, s.rows)
	if picture == nil {
		return errors.New("the server went away before there was anything to draw")
	}
	lines := picture.lines(isColoured)
	_, err = fmt.Fprintln(output, strings.Join(lines, "\n"))
	return err
}

// watch draws every change until somebody quits.
func watch(ctx context.Context, client *layoutclient.Client, s *settings, terminal *terminal) error {
	// The last row shows the state.
	columns, rows := terminal.size()
	viewer, err := s.open(ctx, client, columns, max(rows-1, 1))
	if err != nil {
		return err
	}
	defer viewer.Close()
	keys, changed, ended := make(chan key), make(chan struct{}, 1), make(chan error, 1)
	go terminal.readKeys(keys)
	go func() {
		for {
			if _, err := viewer.Next(ctx); err != nil {
				ended <- err
				return
			}
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}()
	resized, stopped := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGHUP)
	// Nothing arrives when the server goes away.
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for {
		if picture := s.draw(viewer, columns, max(rows-1, 1)); picture != nil {
			lines := append(picture.lines(s.colour != "never"), s.state(viewer, columns))
			if err := terminal.show(lines); err != nil {
				return err
			}
		}
		select {
		case <-changed:
		case <-seconds.C:
		case <-resized:
			columns, rows = terminal.size()
			_, err = viewer.Resize(s.viewport(columns, max(rows-1, 1)))
		case key, ok := <-keys:
			if !ok || key == keyQuit {
				return nil
			}
			err = s.scroll(viewer, key, s.viewport(columns, max(rows-1, 1)))
		case <-stopped:
			return nil
		case err = <-ended:
		}
		if err != nil {
			return err
		}
	}
}

// scroll moves the view by a key, within the content.
func (s *settings) scroll(viewer *layoutclient.Viewer, key key, size layoutclient.Size) error {
	var content layoutclient.Size
	viewer.Read(func(mirror *layoutclient.Mirror, _ layoutclient.Point) { content = mirror.ContentSize() })
	last := layoutclient.Point{
		X: math.Max(0, content.Width-size.Width), Y: math.Max(0, content.Height-size.Height)}
	// Content that only scrolls sideways is paged sideways.
	isSideways := last.Y == 0
	_, err := viewer.Scroll(func(offset layoutclient.Point) layoutclient.Point {
		page := layoutclient.Point{Y: math.Max(size.Height-2*s.cell.Height, s.cell.Height)}
		if isSideways {
			page = layoutclient.Point{X: math.Max(size.Width-4*s.cell.Width, s.cell.Width)}
		}
		switch key {
		case keyUp:
			offset.Y -= 2 * s.cell.Height
		case keyDown:
			offset.Y += 2 * s.cell.Height
		case keyLeft:
			offset.X -= 4 * s.cell.Width
		case keyRight:
			offset.X += 4 * s.cell.Width
		case keyPageUp:
			offset.X, offset.Y = offset.X-page.X, offset.Y-page.Y
		case keyPageDown:
			offset.X, offset.Y = offset.X+page.X, offset.Y+page.Y
		case keyStart:
			offset = layoutclient.Point{}
		case keyEnd:
			offset = last
		}
		return layoutclient.Point{
			X: math.Max(0, math.Min(offset.X, last.X)), Y: math.Max(0, math.Min(offset.Y, last.Y))}
	})
	return err
}

// state returns the last row.
func (s *settings) state(viewer *layoutclient.Viewer, columns int) string {
	text := "the server is away, trying again"
	if viewer.IsOnline() {
		viewer.Read(func(mirror *layoutclient.Mirror, offset layoutclient.Point) {
			text = fmt.Sprintf("%.0f,%.0f of %.0f×%.0f  %d elements  version %d  frame %d  q quits",
				offset.X, offset.Y, mirror.ContentSize().Width, mirror.ContentSize().Height, mirror.Len(),
				mirror.DataVersion(), mirror.FrameSeq())
		})
	}
	glyphs := []rune(" " + s.collection + "  " + text)
	for len(glyphs) < columns {
		glyphs = append(glyphs, ' ')
	}
	return "\x1b[7m" + string(glyphs[:columns]) + "\x1b[0m"
}
