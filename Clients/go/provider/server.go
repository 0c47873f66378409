// SPDX-License-Identifier: Apache-2.0

package provider

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"

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
	service := &service{layouts: map[string]Layout{}, token: s.Token}
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
	options := append([]grpc.ServerOption{grpc.CustomCodec(codec{})}, s.Options...)
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
		return err
	}
	start := first.GetStart()
	layout, isKnown := s.layouts[start.GetLayout()]
	if !isKnown {
		return status.Errorf(codes.NotFound, "there is no layout %q", start.GetLayout())
	}
	items, err := collect(start, stream.Recv)
	if err != nil {
		return err
	}
	placed, err := layout.Place(stream.Context(), items, container(start))
	if err != nil {
		if _, hasStatus := status.FromError(err); hasStatus {
			return err
		}
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return answer(items, placed, stream.Send)
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
