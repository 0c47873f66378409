// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"fmt"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/protobuf/proto"
)

// A Client makes calls to a layout server. It implements grpc.ClientConnInterface, so that all services can be
// called with the generated stubs:
//
//	collections := layoutpb.NewCollectionServiceClient(client)
//
// Errors of calls are of type *Problem if the server answered. A client can be used from several goroutines.
type Client struct {
	connection grpc.ClientConnInterface
	close      func() error
}

// Dial returns a client of the server at a target such as "localhost:50051", or of several servers that share their
// collections, with commas between them: a call goes to the first that can be reached, from that of the last call on.
// A call whose connection breaks is not repeated, because it may have been made; viewers go on with the next server.
//
// The options are those of gRPC, and one of them has to say how the connection is secured: grpc.WithInsecure, or
// those that Security.DialOptions returns for TLS, certificates and tokens. Where no option says
// otherwise, connections are tried again after 0.1 s to 10 s, and are checked while calls are open.
func Dial(target string, options ...grpc.DialOption) (*Client, error) {
	standard := []grpc.DialOption{
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: backoff.Config{
				BaseDelay: firstWait, Multiplier: 2, Jitter: jitter, MaxDelay: longestWait,
			},
			MinConnectTimeout: 20 * time.Second,
		}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 20 * time.Second, Timeout: 10 * time.Second,
		}),
	}
	all := &servers{}
	for _, address := range addressesOf(target) {
		connection, err := grpc.Dial(address, append(standard, options...)...)
		if err != nil {
			_ = all.Close()
			return nil, err
		}
		all.connections = append(all.connections, connection)
	}
	if len(all.connections) == 1 {
		return &Client{all.connections[0], all.Close}, nil
	}
	return &Client{all, all.Close}, nil
}

// servers returns how many servers calls can go to.
func (c *Client) servers() int {
	if several, ok := c.connection.(*servers); ok {
		return len(several.connections)
	}
	return 1
}

// NewClient returns a client that uses a connection of the caller, who closes it. Give it keepalive parameters, as
// Dial does: without them gRPC takes many minutes to notice that the other machine is gone.
func NewClient(connection grpc.ClientConnInterface) *Client {
	return &Client{connection, func() error { return nil }}
}

// Close ends all calls and closes the connection, if Dial opened it.
func (c *Client) Close() error { return c.close() }

// Invoke makes a call with one request and one answer. Generated stubs use it.
func (c *Client) Invoke(
	ctx context.Context, method string, request, response interface{}, options ...grpc.CallOption,
) error {
	return statusProblem(c.connection.Invoke(ctx, method, request, response, withCodec(options)...))
}

// NewStream begins a call with streams. Generated stubs use it.
func (c *Client) NewStream(
	ctx context.Context, description *grpc.StreamDesc, method string, options ...grpc.CallOption,
) (grpc.ClientStream, error) {
	stream, err := c.connection.NewStream(ctx, description, method, withCodec(options)...)
	if err != nil {
		return nil, statusProblem(err)
	}
	return problemStream{stream}, nil
}

// problemStream turns errors into problems.
type problemStream struct{ grpc.ClientStream }

func (s problemStream) RecvMsg(message interface{}) error {
	return statusProblem(s.ClientStream.RecvMsg(message))
}

// retryNow ends the time that the connection waits before it is tried again, where the connection has one. The
// viewer waits between its attempts itself.
func (c *Client) retryNow() {
	if connection, ok := c.connection.(interface{ ResetConnectBackoff() }); ok {
		connection.ResetConnectBackoff()
	}
}

// Capabilities returns what a viewer can do if its OpenSession says nothing: it reads both encodings, and wants
// checksums, the keys of items and sections, and the places of sections that scroll across the content.
func Capabilities() *layoutpb.ClientCapabilities {
	return &layoutpb.ClientCapabilities{
		Encodings: []layoutpb.ElementEncoding{
			layoutpb.ElementEncoding_ELEMENT_ENCODING_PACKED,
			layoutpb.ElementEncoding_ELEMENT_ENCODING_MESSAGES,
		},
		Checksums:      true,
		ItemKeys:       true,
		SectionKeys:    true,
		SectionScrolls: true,
	}
}

// codec encodes messages. gRPC's own codec in Debian's version does not know messages of the protobuf library's
// second interface. It is set call by call, because other users of gRPC in the process may need theirs.
type codec struct{}

func withCodec(options []grpc.CallOption) []grpc.CallOption {
	return append([]grpc.CallOption{grpc.ForceCodec(codec{})}, options...)
}

func (codec) Name() string { return "proto" }

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
