// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"runtime/debug"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// A Server serves layouts. The zero value has none.
type Server struct {
	Layouts []Layout
	// Token has to be shown by callers. "" = none.
	Token string
	// Keep is how many answers are remembered, to send only what a change moved. 0 = 8, below 0 = none.
	Keep int
	// MaxItems is the most items of one call. 0 = 10,000,000.
	MaxItems int
	// Options are those of gRPC, such as grpc.Creds for TLS.
	Options []grpc.ServerOption
}

// Serve serves layouts on an address such as "127.0.0.1:50061" until it fails.
func Serve(address string, layouts ...Layout) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return (&Server{Layouts: layouts}).Serve(context.Background(), listener)
}

// Serve serves until the context ends, and closes the listener.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	service := &service{layouts: map[string]Layout{}, token: s.Token, maxItems: s.MaxItems}
	if service.maxItems <= 0 {
		service.maxItems = 10_000_000
	}
	service.memory.most = s.Keep
	if s.Keep == 0 {
		service.memory.most = 8
	}
	for _, layout := range s.Layouts {
		if layout.Name == "" || layout.Place == nil {
			return errors.New("a layout needs a name and a function")
		}
		if _, isTwice := service.layouts[layout.Name]; isTwice {
			return fmt.Errorf("there are two layouts %q", layout.Name)
		}
		service.layouts[layout.Name] = layout
		service.descriptions = append(service.descriptions, &layoutpb.ProvidedLayout{
			Name:             layout.Name,
			Description:      layout.Description,
			ParametersSchema: layout.Schema,
			ScrollDirection:  layout.Scroll,
			MaxItems:         layout.MaxItems,
		})
	}
	// gRPC's own codec in Debian's version does not know messages of the protobuf library's second interface.
	options := append([]grpc.ServerOption{
		grpc.CustomCodec(codec{}),
		// Without fixed windows gRPC measures the connection with a ping for almost each call, and layout servers end
		// connections on which more than 200 pings come within 30 seconds.
		grpc.InitialWindowSize(1 << 20),
		grpc.InitialConnWindowSize(1 << 22),
	}, s.Options...)
	server := grpc.NewServer(options...)
	layoutpb.RegisterLayoutProviderServiceServer(server, service)
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-ctx.Done():
			server.Stop()
		case <-done:
		}
	}()
	return server.Serve(listener)
}

type service struct {
	layoutpb.UnimplementedLayoutProviderServiceServer
	layouts      map[string]Layout
	descriptions []*layoutpb.ProvidedLayout
	token        string
	maxItems     int
	memory       memory
}

func (s *service) DescribeLayouts(ctx context.Context,
	_ *layoutpb.DescribeLayoutsRequest) (*layoutpb.DescribeLayoutsResponse, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return &layoutpb.DescribeLayoutsResponse{Layouts: s.descriptions}, nil
}

func (s *service) PrepareLayout(stream layoutpb.LayoutProviderService_PrepareLayoutServer) error {
	if err := s.check(stream.Context()); err != nil {
		return err
	}
	first, err := stream.Recv()
	if err != nil {
		return orStartMissing(err)
	}
	layout, collector, err := s.begin(first.GetStart(), nil)
	if err != nil {
		return err
	}
	for {
		request, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := collector.prepare(request); err != nil {
			return err
		}
	}
	placed, err := recovered(func() (*Placed, error) {
		return layout.Place(stream.Context(), &collector.items, container(first.GetStart()))
	})
	answer, err := newAnswer(layout.Name, &collector.items, placed, nil, err)
	if err != nil {
		return err
	}
	cookie := s.memory.add(answer)
	sender := &sender{answer: answer, send: func(elements *layoutpb.PlacedElements) error {
		return stream.Send(&layoutpb.PrepareLayoutResponse{
			Part: &layoutpb.PrepareLayoutResponse_Elements{Elements: elements}})
	}}
	if err := sender.everything(); err != nil {
		return err
	}
	return stream.Send(&layoutpb.PrepareLayoutResponse{Part: &layoutpb.PrepareLayoutResponse_End{
		End: &layoutpb.PrepareLayoutEnd{
			ContentSize:  answer.size,
			ElementCount: answer.count,
			KindNames:    answer.names,
			Cookie:       cookie,
		}}})
}

func (s *service) UpdatePlacement(stream layoutpb.LayoutProviderService_UpdatePlacementServer) error {
	if err := s.check(stream.Context()); err != nil {
		return err
	}
	first, err := stream.Recv()
	if err != nil {
		return orStartMissing(err)
	}
	start := first.GetStart().GetPrepare()
	before := s.memory.get(first.GetStart().GetCookie(), start.GetLayout())
	if before == nil {
		return status.Error(codes.FailedPrecondition, "the cookie is not known any more")
	}
	layout, collector, err := s.begin(start, before.items)
	if err != nil {
		return err
	}
	for {
		request, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := collector.update(request); err != nil {
			return err
		}
	}
	placed, err := recovered(func() (*Placed, error) {
		if layout.Update == nil {
			return layout.Place(stream.Context(), &collector.items, container(start))
		}
		return layout.Update(stream.Context(), &collector.items, container(start), before.placed, collector.was)
	})
	answer, err := newAnswer(layout.Name, &collector.items, placed, before.names, err)
	if err != nil {
		return err
	}
	difference := newDifference(answer, before, collector)
	cookie := s.memory.add(answer)
	if err := difference.send(answer, stream.Send); err != nil {
		return err
	}
	return stream.Send(&layoutpb.UpdatePlacementResponse{Part: &layoutpb.UpdatePlacementResponse_End{
		End: &layoutpb.UpdatePlacementEnd{
			ContentSize:  answer.size,
			ElementCount: answer.count,
			KindNames:    answer.names,
			Cookie:       cookie,
		}}})
}

// recovered calls a function of a layout. Its panic ends the call, and not the program with all other layouts.
func recovered(place func() (*Placed, error)) (placed *Placed, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			log.Printf("a layout panicked: %v\n%s", fault, debug.Stack())
			placed, err = nil, status.Errorf(codes.Internal, "the layout panicked: %v", fault)
		}
	}()
	return place()
}

// begin finds the layout of a call.
func (s *service) begin(start *layoutpb.PrepareLayoutStart, old *Items) (*Layout, *collector, error) {
	if start == nil {
		return nil, nil, orStartMissing(io.EOF)
	}
	layout, isKnown := s.layouts[start.GetLayout()]
	if !isKnown {
		return nil, nil, status.Errorf(codes.NotFound, "there is no layout %q", start.GetLayout())
	}
	names := start.GetCellKindNames()
	if len(names) == 0 {
		names = []string{""}
	}
	most := s.maxItems
	if layout.MaxItems > 0 && layout.MaxItems < uint64(most) {
		most = int(layout.MaxItems)
	}
	return &layout, &collector{names: names, most: most, mostSections: s.maxItems, old: old}, nil
}

func orStartMissing(err error) error {
	if err != io.EOF {
		return err
	}
	return status.Error(codes.InvalidArgument, "the first part of a request has to be its start")
}

func (s *service) check(ctx context.Context) error {
	if s.token == "" {
		return nil
	}
	headers, _ := metadata.FromIncomingContext(ctx)
	for _, shown := range headers.Get("authorization") {
		if subtle.ConstantTimeCompare([]byte(shown), []byte("Bearer "+s.token)) == 1 {
			return nil
		}
	}
	return status.Error(codes.Unauthenticated, "the token is missing or wrong")
}

type codec struct{}

func (codec) String() string { return "proto" }

func (codec) Marshal(value interface{}) ([]byte, error) {
	message, ok := value.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("%T is not a message", value)
	}
	return proto.Marshal(message)
}

func (codec) Unmarshal(data []byte, value interface{}) error {
	message, ok := value.(proto.Message)
	if !ok {
		return fmt.Errorf("%T is not a message", value)
	}
	return proto.Unmarshal(data, message)
}
