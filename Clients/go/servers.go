// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"
)

// addressesOf returns the addresses that a target names, with commas between them. In targets of gRPC that begin
// with "ipv4:" or "ipv6:" commas mean something else.
func addressesOf(target string) []string {
	if strings.HasPrefix(target, "ipv4:") || strings.HasPrefix(target, "ipv6:") {
		return []string{target}
	}
	var addresses []string
	for _, address := range strings.Split(target, ",") {
		if address = strings.TrimSpace(address); address != "" {
			addresses = append(addresses, address)
		}
	}
	if len(addresses) == 0 {
		return []string{target}
	}
	return addresses
}

// servers are connections to servers that share their collections. One has the turn: where it cannot be reached, or
// breaks, the next one takes it.
type servers struct {
	connections []*grpc.ClientConn
	mu          sync.Mutex
	turn        int
}

func (s *servers) current() (*grpc.ClientConn, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections[s.turn%len(s.connections)], s.turn
}

// moveOn gives the turn to the next connection, unless that has it already.
func (s *servers) moveOn(turn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == turn {
		s.turn++
	}
}

// pick returns the first connection, from that with the turn on, that reaches its server. If none does, calls on the
// one that is returned say why.
func (s *servers) pick(ctx context.Context) (*grpc.ClientConn, int) {
	for range s.connections {
		connection, turn := s.current()
		if isReached(ctx, connection) {
			return connection, turn
		}
		s.moveOn(turn)
	}
	return s.current()
}

// isReached waits until a connection is made, or has failed.
func isReached(ctx context.Context, connection *grpc.ClientConn) bool {
	for {
		state := connection.GetState()
		switch state {
		case connectivity.Ready:
			return true
		case connectivity.TransientFailure, connectivity.Shutdown:
			return false
		case connectivity.Idle:
			// Newer versions of gRPC connect only when they are told to.
			if idle, ok := interface{}(connection).(interface{ Connect() }); ok {
				idle.Connect()
			}
		}
		if !connection.WaitForStateChange(ctx, state) {
			// The call tells that its time is over.
			return true
		}
	}
}

// broke moves on where a call ended because its server could not be reached or is going away.
func (s *servers) broke(turn int, err error) {
	if status.Code(err) == codes.Unavailable {
		s.moveOn(turn)
	}
}

func (s *servers) Invoke(
	ctx context.Context, method string, request, response interface{}, options ...grpc.CallOption,
) error {
	connection, turn := s.pick(ctx)
	err := connection.Invoke(ctx, method, request, response, options...)
	s.broke(turn, err)
	return err
}

func (s *servers) NewStream(
	ctx context.Context, description *grpc.StreamDesc, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	connection, turn := s.pick(ctx)
	stream, err := connection.NewStream(ctx, description, method, options...)
	if err != nil {
		s.broke(turn, err)
		return nil, err
	}
	return serversStream{stream, s, turn}, nil
}

// serversStream moves on when the stream breaks.
type serversStream struct {
	grpc.ClientStream
	servers *servers
	turn    int
}

func (s serversStream) RecvMsg(message interface{}) error {
	err := s.ClientStream.RecvMsg(message)
	s.servers.broke(s.turn, err)
	return err
}

// ResetConnectBackoff ends the time that connections wait before they are tried again.
func (s *servers) ResetConnectBackoff() {
	for _, connection := range s.connections {
		connection.ResetConnectBackoff()
	}
}

// Close closes all connections, and returns the first error.
func (s *servers) Close() error {
	var first error
	for _, connection := range s.connections {
		if err := connection.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
