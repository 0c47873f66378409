// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"strings"
	"testing"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func operation(change *layoutpb.UpdateOperation) *layoutpb.UpdateBatch {
	return &layoutpb.UpdateBatch{Change: &layoutpb.UpdateBatch_Operations{
		Operations: &layoutpb.UpdateOperations{Operations: []*layoutpb.UpdateOperation{change}},
	}}
}

func insertion(section, item int, blocks ...*layoutpb.ItemBlock) *layoutpb.UpdateBatch {
	return operation(&layoutpb.UpdateOperation{Operation: &layoutpb.UpdateOperation_InsertItems{
		InsertItems: &layoutpb.InsertItems{
			At: IndexPath{uint32(section), int64(item)}.Message(), Blocks: blocks}}})
}

func update(batch *layoutpb.UpdateBatch) *layoutpb.StreamLayoutRequest {
	return &layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Update{Update: batch}}
}

// randomEdit returns a batch for sections with these counts, which it keeps up to date.
func randomEdit(random *rand.Rand, counts []int, step int) *layoutpb.UpdateBatch {
	section := random.Intn(len(counts))
	item := random.Intn(counts[section])
	switch random.Intn(3) {
	case 0:
		count := 1 + random.Intn(5)
		counts[section] += count
		return insertion(section, item, block(random, count, fmt.Sprint("new", step)))
	case 1:
		if counts[section] < 10 {
			break
		}
		counts[section]--
		return operation(&layoutpb.UpdateOperation{Operation: &layoutpb.UpdateOperation_DeleteItems{
			DeleteItems: &layoutpb.ItemRange{
				Section: uint32(section), FirstItem: uint32(item), ItemCount: 1}}})
	}
	to := random.Intn(len(counts))
	counts[section]--
	counts[to]++
	end := counts[to] - 1
	return operation(&layoutpb.UpdateOperation{Operation: &layoutpb.UpdateOperation_MoveItem{
		MoveItem: &layoutpb.MoveItem{From: IndexPath{uint32(section), int64(item)}.Message(),
			To: IndexPath{uint32(to), int64(random.Intn(end + 1))}.Message()}}})
}

// Two viewers of one collection, one with each encoding, scroll at random while items change. Both mirrors are
// what the server answers, and equal each other.
func TestMirrorsEqualTheServersAnswers(t *testing.T) {
	server := startServer(t, "--port", "0", "--store", "memory")
	for name, layout := range layouts() {
		for _, units := range []uint32{64, 192} {
			layout := layout
			t.Run(fmt.Sprint(name, " ", units), func(t *testing.T) {
				client, random := dial(t, server.address), rand.New(rand.NewSource(int64(units)))
				name := createCollection(t, client, contents(random, 8, 40))
				counts := []int{40, 40, 40, 40, 40, 40, 40, 40}
				var viewers []*Viewer
				for _, encoding := range []layoutpb.ElementEncoding{
					layoutpb.ElementEncoding_ELEMENT_ENCODING_PACKED,
					layoutpb.ElementEncoding_ELEMENT_ENCODING_MESSAGES,
				} {
					opening := opening(name, layout)
					opening.Capabilities = Capabilities()
					opening.Capabilities.Encodings = []layoutpb.ElementEncoding{encoding}
					opening.Capabilities.UnitsPerPoint = []uint32{units}
					opening.Capabilities.Animations = true
					opening.Capabilities.ItemData = true
					viewer := must[*Viewer](t)(client.Open(limited(t), opening))
					defer viewer.Close()
					viewers = append(viewers, viewer)
				}
				for step := 0; step < 30; step++ {
					act(t, random, viewers, counts, step)
					if step%5 == 4 {
						compare(t, viewers)
					}
				}
			})
		}
	}
}

// act edits the data, or scrolls or resizes all viewers.
func act(t *testing.T, random *rand.Rand, viewers []*Viewer, counts []int, step int) {
	t.Helper()
	switch random.Intn(6) {
	case 0, 1:
		must[*Result](t)(viewers[step%2].Perform(limited(t), update(randomEdit(random, counts, step))))
	case 2:
		size := Size{300 + 200*random.Float64(), 400 + 400*random.Float64()}
		for _, viewer := range viewers {
			must[uint64](t)(viewer.Resize(size))
		}
	default:
		var size Size
		viewers[0].Read(func(mirror *Mirror, _ Point) { size = mirror.ContentSize() })
		offset := Point{math.Max(0, size.Width-300) * random.Float64(),
			math.Max(0, size.Height-400) * random.Float64()}
		for _, viewer := range viewers {
			must[uint64](t)(viewer.ScrollTo(offset))
		}
	}
}

func compare(t *testing.T, viewers []*Viewer) {
	t.Helper()
	versions := []uint64{0, 0}
	for versions[0] == 0 || versions[0] != versions[1] {
		for index, viewer := range viewers {
			if err := viewer.Settle(limited(t)); err != nil {
				t.Fatal(err)
			}
			viewer.Read(func(mirror *Mirror, _ Point) { versions[index] = mirror.DataVersion() + 1 })
		}
	}
	for _, viewer := range viewers {
		verify(t, viewer)
	}
	if one, other := viewers[0].Offset(), viewers[1].Offset(); one != other {
		// Later steps start at the same place.
		must[uint64](t)(viewers[1].ScrollTo(one))
	}
}

func TestAnItemMuchLongerThanWideIsCutOff(t *testing.T) {
	client := dial(t, startServer(t, "--port", "0", "--store", "memory").address)
	viewer := must[*Viewer](t)(client.Open(limited(t), &layoutpb.OpenSession{
		Source: &layoutpb.OpenSession_InlineContents{InlineContents: &layoutpb.CollectionContents{
			Sections: []*layoutpb.Section{{Blocks: []*layoutpb.ItemBlock{{
				Count: 4, Widths: []float64{90, 1e-300, 90, 50}, Heights: []float64{60, 10, 60, 70},
			}}}},
		}},
		// A waterfall keeps the proportions of its items.
		Layout:   waterfall(2),
		Viewport: &layoutpb.ViewportChange{Size: &layoutpb.Size{Width: 400, Height: 600}},
	}))
	defer viewer.Close()
	longest := 0.0
	viewer.Read(func(mirror *Mirror, _ Point) {
		for _, element := range mirror.Elements() {
			longest = math.Max(longest, element.Frame.Height)
		}
	})
	if longest != 1<<40 {
		t.Errorf("the longest element is %v points high; 2^40 are expected", longest)
	}
	verify(t, viewer)
}

func TestAnEventIsAnsweredByItsNumber(t *testing.T) {
	client := dial(t, startServer(t, "--port", "0", "--store", "memory").address)
	random := rand.New(rand.NewSource(1))
	viewer := must[*Viewer](t)(client.Open(limited(t),
		opening(createCollection(t, client, contents(random, 2, 10)), flow())))
	defer viewer.Close()
	first := must[uint64](t)(viewer.Update(insertion(1, 0, block(random, 1, "x"))))
	second := must[uint64](t)(viewer.Update(insertion(7, 0, block(random, 1, "y"))))
	results := map[uint64]*Result{}
	for len(results) < 2 {
		if result, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Result); ok {
			results[result.EventSeq] = result
		}
	}
	if result := results[first]; result == nil || result.Problem != nil || result.DataVersion != 1 {
		t.Errorf("the first update was answered by %+v", result)
	}
	result := results[second]
	if result == nil || result.Problem == nil {
		t.Fatalf("the second update was answered by %+v", result)
	}
	problem := result.Problem
	if problem.Code == codes.OK || problem.Reason == "" || len(problem.Fields) == 0 ||
		!strings.Contains(problem.Fields[0].Field, "operations[0]") ||
		!strings.Contains(problem.Fields[0].Description, "7") {
		t.Errorf("the problem is %+v", problem)
	}

	_, err := viewer.Perform(limited(t), update(insertion(7, 0, block(random, 1, "z"))))
	if ReasonOf(err) != problem.Reason {
		t.Errorf("Perform failed with %v; %s expected", err, problem.Reason)
	}
	if _, err := viewer.Send(&layoutpb.StreamLayoutRequest{}); err == nil {
		t.Error("a request without an event was accepted")
	}
}

func TestAnotherLayoutTakesEffect(t *testing.T) {
	client := dial(t, startServer(t, "--port", "0", "--store", "memory").address)
	viewer := must[*Viewer](t)(client.Open(limited(t), opening(createCollection(t, client,
		contents(rand.New(rand.NewSource(1)), 2, 50)), flow())))
	defer viewer.Close()
	must[uint64](t)(viewer.ChangeLayout(&layoutpb.LayoutChange{Layout: layouts()["list"]}))
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	verify(t, viewer)
	viewer.Read(func(mirror *Mirror, _ Point) {
		for _, element := range mirror.Elements() {
			if element.Frame.Width != 400 {
				t.Fatalf("%v is no row: %v", element.Key, element.Frame)
			}
		}
	})
}

func TestProblemsOfCallsHaveReasonsAndFields(t *testing.T) {
	client := dial(t, startServer(t, "--port", "0", "--store", "memory").address)
	collections := layoutpb.NewCollectionServiceClient(client)
	_, err := collections.GetCollection(limited(t),
		&layoutpb.GetCollectionRequest{Name: "collections/none"})
	if status.Code(err) != codes.NotFound || ReasonOf(err) != "COLLECTION_NOT_FOUND" {
		t.Errorf("%v found", err)
	}
	_, err = collections.GetCollection(limited(t), &layoutpb.GetCollectionRequest{Name: "No Name"})
	var problem *Problem
	if !errors.As(err, &problem) || len(problem.Fields) != 1 || problem.Fields[0].Field != "name" ||
		!strings.Contains(problem.Fields[0].Description, "No Name") {
		t.Errorf("%+v found", problem)
	}
	_, err = client.Open(limited(t), opening("collections/none", flow()))
	if ReasonOf(err) != "COLLECTION_NOT_FOUND" {
		t.Errorf("%v found", err)
	}
}

func TestASessionGoesOnAfterItsConnectionBroke(t *testing.T) {
	server := startServer(t, "--port", "0", "--store", "memory")
	proxy := startCutter(t, server.address)
	client, random := dial(t, proxy.listener.Addr().String()), rand.New(rand.NewSource(5))
	name := createCollection(t, dial(t, server.address), contents(random, 8, 40))
	opening := opening(name, flow())
	viewer := must[*Viewer](t)(client.Open(limited(t), opening))
	defer viewer.Close()
	session := viewer.Session()
	must[uint64](t)(viewer.ScrollTo(Point{0, 900}))
	for round := 1; round <= 5; round++ {
		// Neither the events before nor those after the cut are lost.
		must[uint64](t)(viewer.Update(insertion(0, 0, block(random, 1, fmt.Sprint("a", round)))))
		proxy.cut()
		sequence := must[uint64](t)(viewer.Update(insertion(1, 0, block(random, 1, fmt.Sprint("b", round)))))
		outcomes := 0
		for isAnswered := false; !isAnswered || outcomes == 0; {
			switch arrival := must[Arrival](t)(viewer.Next(limited(t))).(type) {
			case *Reconnected:
				outcomes++
				if arrival.Outcome == layoutpb.SessionOpened_OUTCOME_RESET {
					t.Fatal("the session was lost")
				}
			case *Result:
				isAnswered = isAnswered || arrival.EventSeq == sequence
				if arrival.Problem != nil || arrival.Duplicate {
					t.Fatalf("event %d was answered by %+v", arrival.EventSeq, arrival)
				}
			case *Rejection:
				t.Fatal(arrival.Err)
			}
		}
		if err := viewer.Settle(limited(t)); err != nil {
			t.Fatal(err)
		}
		verify(t, viewer)
		viewer.Read(func(mirror *Mirror, _ Point) {
			if mirror.DataVersion() != uint64(2*round) {
				t.Fatalf("version %d after %d updates", mirror.DataVersion(), 2*round)
			}
		})
	}
	if viewer.Session() != session {
		t.Error("the session is another one")
	}
}

func TestAKilledServerIsFoundAgain(t *testing.T) {
	folder := t.TempDir()
	server := startServer(t, "--port", "0", "--store-path", folder+"/store.sqlite")
	client, random := dial(t, server.address), rand.New(rand.NewSource(6))
	name := createCollection(t, client, contents(random, 8, 40))
	viewer := must[*Viewer](t)(client.Open(limited(t), opening(name, flow())))
	defer viewer.Close()
	must[uint64](t)(viewer.ScrollTo(Point{0, 900}))
	must[*Result](t)(viewer.Perform(limited(t), update(insertion(5, 0, block(random, 3, "before")))))
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	visible := topItem(viewer)

	server.kill()
	sequence := must[uint64](t)(viewer.Update(insertion(0, 0, block(random, 30, "after"))))
	waiting, cancel := context.WithTimeout(limited(t), 300*time.Millisecond)
	defer cancel()
	for {
		if _, err := viewer.Next(waiting); err == context.DeadlineExceeded {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	_, port, _ := strings.Cut(server.address, ":")
	startServer(t, "--port", port, "--store-path", folder+"/store.sqlite")

	var outcome layoutpb.SessionOpened_Outcome
	for isAnswered := false; !isAnswered; {
		switch arrival := must[Arrival](t)(viewer.Next(limited(t))).(type) {
		case *Reconnected:
			outcome = arrival.Outcome
		case *Result:
			isAnswered = arrival.EventSeq == sequence
			if isAnswered && (arrival.Problem != nil || arrival.DataVersion != 2) {
				t.Fatalf("the update was answered by %+v", arrival)
			}
		}
	}
	if outcome != layoutpb.SessionOpened_OUTCOME_RESET {
		t.Errorf("the outcome is %v", outcome)
	}
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	verify(t, viewer)
	if now := topItem(viewer); now != visible {
		t.Errorf("%v is at the top; %v was", now, visible)
	}
}

// A server without a store forgets its secret, so that it does not accept the tokens of the one before.
func TestASessionIsOpenedAnewWhereTheTokenIsNotAccepted(t *testing.T) {
	server := startServer(t, "--port", "0", "--store", "memory")
	client, random := dial(t, server.address), rand.New(rand.NewSource(9))
	create := func(items int) {
		_, err := layoutpb.NewCollectionServiceClient(client).CreateCollection(limited(t),
			&layoutpb.CreateCollectionRequest{CollectionId: "x", Contents: contents(random, 1, items)})
		if err != nil {
			t.Fatal(err)
		}
	}
	create(10)
	viewer := must[*Viewer](t)(client.Open(limited(t), opening("collections/x", flow())))
	defer viewer.Close()
	// The next session must not be opened with it.
	_, err := viewer.Perform(limited(t), &layoutpb.StreamLayoutRequest{
		Event: &layoutpb.StreamLayoutRequest_Layout{Layout: &layoutpb.LayoutChange{
			LayoutName: "collections/x/layouts/none",
		}},
	})
	if err == nil {
		t.Fatal("a layout that does not exist was taken")
	}
	server.kill()
	_, port, _ := strings.Cut(server.address, ":")
	startServer(t, "--port", port, "--store", "memory")
	client.retryNow()
	for {
		_, err := layoutpb.NewCollectionServiceClient(client).ListCollections(limited(t),
			&layoutpb.ListCollectionsRequest{})
		if err == nil {
			break
		}
		if status.Code(err) != codes.Unavailable {
			t.Fatal(err)
		}
	}
	create(7)
	for isReset := false; !isReset; {
		if arrival, ok := must[Arrival](t)(viewer.Next(limited(t))).(*Reconnected); ok {
			isReset = arrival.Outcome == layoutpb.SessionOpened_OUTCOME_RESET
		}
	}
	must[*Result](t)(viewer.Perform(limited(t), update(insertion(0, 0, block(random, 1, "x")))))
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	verify(t, viewer)
	cells := 0
	viewer.Read(func(mirror *Mirror, _ Point) {
		for _, element := range mirror.Elements() {
			if element.Key.Category == Cell {
				cells++
			}
		}
	})
	if cells != 8 {
		t.Errorf("%d cells; 8 expected", cells)
	}
}

// Nobody listens at the first address, and the second one is closed later.
func TestAViewerGoesOnAtTheNextServer(t *testing.T) {
	server := startServer(t, "--port", "0", "--store", "memory")
	second, third := startCutter(t, server.address), startCutter(t, server.address)
	addresses := []string{"127.0.0.1:1", second.listener.Addr().String(), third.listener.Addr().String()}
	client, random := dial(t, strings.Join(addresses, ",")), rand.New(rand.NewSource(3))
	viewer := must[*Viewer](t)(client.Open(limited(t),
		opening(createCollection(t, client, contents(random, 2, 30)), flow())))
	defer viewer.Close()
	second.listener.Close()
	began := time.Now()
	second.cut()
	for isBack := false; !isBack; {
		_, isBack = must[Arrival](t)(viewer.Next(limited(t))).(*Reconnected)
	}
	if gap := time.Since(began); gap > 2*time.Second {
		t.Errorf("it took %v", gap)
	}
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	verify(t, viewer)
}

func TestWaitsAreForARoundOfAllServers(t *testing.T) {
	delay, now := retryDelay{servers: 3}, time.Now()
	for round := 0; round < 8; round++ {
		for other := 0; other < 2; other++ {
			if wait := delay.next(now); wait != 0 {
				t.Errorf("another server is tried after %v", wait)
			}
		}
		if wait := delay.next(now); wait < firstWait*4/5 || wait > longestWaitAtFirst*6/5 {
			t.Errorf("round %d waits %v", round, wait)
		}
	}
	delay = retryDelay{servers: 1}
	var longest time.Duration
	for attempt := 0; attempt < 12; attempt++ {
		// Streams that break at once are no success.
		delay.succeeded(now)
		now = now.Add(worked - 1)
		if wait := delay.next(now); wait > longest {
			longest = wait
		}
	}
	if longest < longestWait*4/5 || longest > longestWait*6/5 {
		t.Errorf("waits at most %v", longest)
	}
	delay.succeeded(now)
	if wait := delay.next(now.Add(worked + 1)); wait > firstWait*6/5 {
		t.Errorf("waits %v after a stream that worked", wait)
	}
}

// topItem returns the key of the topmost item in sight and where it is on the screen.
func topItem(viewer *Viewer) (result struct {
	key    string
	screen float64
}) {
	offset := viewer.Offset()
	viewer.Read(func(mirror *Mirror, _ Point) {
		path := IndexPath{math.MaxUint32, 0}
		for _, element := range mirror.Elements() {
			if element.Key.Category == Cell && element.Frame.MaxY() > offset.Y+40 && element.Key.Path.Less(path) {
				path, result.key = element.Key.Path, element.ItemKey
				result.screen = math.Round(element.Frame.Y - offset.Y)
			}
		}
	})
	return result
}

func TestAContextEndsAWaitAndNotTheSession(t *testing.T) {
	client := dial(t, startServer(t, "--port", "0", "--store", "memory").address)
	random := rand.New(rand.NewSource(7))
	viewer := must[*Viewer](t)(client.Open(limited(t),
		opening(createCollection(t, client, contents(random, 2, 10)), flow())))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := viewer.Next(cancelled); err != context.Canceled {
		t.Errorf("%v found", err)
	}
	if _, err := viewer.Perform(cancelled, update(insertion(0, 0, block(random, 1, "x")))); err != context.Canceled {
		t.Errorf("%v found", err)
	}
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	verify(t, viewer)
	if err := viewer.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := viewer.Next(limited(t)); err != io.EOF {
		t.Errorf("%v found after Close", err)
	}
	if _, err := viewer.ScrollTo(Point{}); err != io.EOF {
		t.Errorf("%v found after Close", err)
	}
}

func TestGoroutinesShareAViewer(t *testing.T) {
	client := dial(t, startServer(t, "--port", "0", "--store", "memory").address)
	random := rand.New(rand.NewSource(8))
	viewer := must[*Viewer](t)(client.Open(limited(t),
		opening(createCollection(t, client, contents(random, 8, 40)), flow())))
	reader := make(chan error)
	go func() {
		for {
			if _, err := viewer.Next(context.Background()); err != nil {
				reader <- err
				return
			}
		}
	}()
	editors := make(chan error)
	for editor := 0; editor < 4; editor++ {
		editor, random := editor, rand.New(rand.NewSource(int64(editor)))
		go func() {
			var err error
			for edit := 0; edit < 20 && err == nil; edit++ {
				_, err = viewer.Scroll(func(offset Point) Point { return Point{0, offset.Y + 10} })
				if err == nil {
					batch := insertion(editor, 0, block(random, 1, fmt.Sprint(editor, ".", edit)))
					_, err = viewer.Perform(context.Background(), update(proto.Clone(batch).(*layoutpb.UpdateBatch)))
				}
			}
			editors <- err
		}()
	}
	for editor := 0; editor < 4; editor++ {
		if err := <-editors; err != nil {
			t.Error(err)
		}
	}
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	verify(t, viewer)
	if err := viewer.Close(); err != nil {
		t.Error(err)
	}
	if err := <-reader; err != io.EOF {
		t.Errorf("the reader ended with %v", err)
	}
}

func TestOpeningKeepsWhatLaterStreamsNeed(t *testing.T) {
	viewer := &Viewer{opening: &layoutpb.OpenSession{
		Renderer: "app 3.1", Table: &layoutpb.TableChange{Reset_: true}, LayoutName: "collections/x/layouts/y",
	}}
	change := &layoutpb.ViewportChange{Size: &layoutpb.Size{Width: 10, Height: 20}}
	request := &layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Viewport{Viewport: change}}
	if err := viewer.note(request); err != nil {
		t.Fatal(err)
	}
	opening := viewer.opening
	if opening.Renderer != "app 3.1" || !opening.Table.GetReset_() || opening.LayoutName == "" {
		t.Fatalf("found %v", opening)
	}
	if opening.Viewport.GetSize().GetWidth() != 10 {
		t.Fatalf("found %v", opening.Viewport)
	}
}

func TestAResumeLeavesOutWhatHasNoAnswerYet(t *testing.T) {
	height := 10.0
	row := &layoutpb.LayoutSpec{Kind: &layoutpb.LayoutSpec_List{List: &layoutpb.ListLayout{RowHeight: &height}}}
	viewer := &Viewer{
		opening: &layoutpb.OpenSession{Layout: row, Options: &layoutpb.SessionOptions{}},
		mirror:  NewMirror(64, Limits{}), session: "sessions/x", token: []byte{1},
	}
	if open := viewer.openingRequest().GetOpen(); open.Layout == nil || open.Options == nil {
		t.Fatalf("found %v", open)
	}
	for _, request := range []*layoutpb.StreamLayoutRequest{
		{Event: &layoutpb.StreamLayoutRequest_Layout{Layout: &layoutpb.LayoutChange{LayoutName: "x"}}},
		{Event: &layoutpb.StreamLayoutRequest_Options{Options: &layoutpb.SessionOptions{MaxInFlightFrames: 2}}},
	} {
		if _, err := viewer.Send(request); err != nil {
			t.Fatal(err)
		}
	}
	if open := viewer.openingRequest().GetOpen(); open.Layout != nil || open.LayoutName != "" || open.Options != nil {
		t.Fatalf("found %v", open)
	}
	viewer.token = nil
	open := viewer.openingRequest().GetOpen()
	if open.GetLayout().GetList().GetRowHeight() != 10 || open.Options == nil {
		t.Fatalf("found %v", open)
	}
	if repeated, _ := viewer.pending.handOver(viewer.openedAt); len(repeated) != 2 {
		t.Fatalf("%d requests are repeated", len(repeated))
	}
}

func TestANewSessionIsToldWhatItsOpeningLeftOut(t *testing.T) {
	height := 10.0
	row := &layoutpb.LayoutSpec{Kind: &layoutpb.LayoutSpec_List{List: &layoutpb.ListLayout{RowHeight: &height}}}
	viewer := &Viewer{
		opening: &layoutpb.OpenSession{Layout: row, Options: &layoutpb.SessionOptions{MaxInFlightFrames: 1}},
		mirror:  NewMirror(64, Limits{}), session: "sessions/x", token: []byte{1}, lastEvent: 1,
	}
	send := func(request *layoutpb.StreamLayoutRequest) uint64 {
		event, err := viewer.Send(request)
		if err != nil {
			t.Fatal(err)
		}
		return event
	}
	replace := func() {
		viewer.openingRequest()
		viewer.pending.handOver(viewer.openedAt)
		viewer.restore()
	}
	refuse := func(event uint64) {
		viewer.takeResult(&layoutpb.EventResult{EventSeq: event, Problem: &layoutpb.Problem{Code: 3}})
	}
	// A step of a transition makes no sense in another session, so nothing else tells this one its layout.
	send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Transition{
		Transition: &layoutpb.InteractiveTransition{
			Step: &layoutpb.InteractiveTransition_Begin{Begin: &layoutpb.LayoutSpec{}}}}})
	replace()
	if told := viewer.pending.unsettled(viewer.lastEvent); told.GetLayout().GetLayout() != row {
		t.Fatalf("the new session is told %v", told)
	}
	viewer.takeResult(&layoutpb.EventResult{EventSeq: viewer.lastEvent})
	// The pending events tell it others, unless they are refused.
	layout := send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Layout{
		Layout: &layoutpb.LayoutChange{LayoutName: "x"}}})
	options := send(&layoutpb.StreamLayoutRequest{Event: &layoutpb.StreamLayoutRequest_Options{
		Options: &layoutpb.SessionOptions{MaxInFlightFrames: 2}}})
	replace()
	if viewer.lastEvent != options {
		t.Fatal("the new session is told what repeated events tell it")
	}
	refuse(layout)
	if told := viewer.pending.unsettled(options + 1); told.GetLayout().GetLayout() != row {
		t.Fatalf("after a refusal the new session is told %v", told)
	}
	refuse(options)
	if told := viewer.pending.unsettled(options + 2); told.GetOptions().GetMaxInFlightFrames() != 1 {
		t.Fatalf("after a refusal the new session is told %v", told)
	}
}
