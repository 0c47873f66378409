// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// A Security says how connections are encrypted and who the client is. The zero value is neither.
//
//	security := layoutclient.Security{Authorities: "ca.pem", Token: layoutclient.TokenFile("importer.token")}
//	options, err := security.DialOptions()
//	...
//	client, err := layoutclient.Dial("layouts.example.org:50051", options...)
type Security struct {
	// TLS encrypts. The server's certificate has to be of Authorities.
	TLS bool
	// Authorities names a PEM file, and says that connections are encrypted. "" = those that the system trusts.
	Authorities string
	// Certificate and Key name PEM files with the client's own certificate, followed by those that lead to its
	// authority, and its private key. They are read again for each connection. "" = the client has none.
	Certificate, Key string
	// Token returns a token, and when it ends; a zero time says that it is not known. It is asked again before
	// the token ends, or for each call. nil = no token is sent.
	Token func(context.Context) (string, time.Time, error)
}

// DialOptions returns the options of Dial. Without TLS tokens are sent unencrypted, which is for loopback.
func (s Security) DialOptions() ([]grpc.DialOption, error) {
	if (s.Certificate == "") != (s.Key == "") {
		return nil, errors.New("a certificate and its key need each other")
	}
	isEncrypted := s.TLS || s.Authorities != ""
	if s.Certificate != "" && !isEncrypted {
		return nil, errors.New("a certificate needs TLS")
	}
	var options []grpc.DialOption
	if isEncrypted {
		configuration, err := s.configuration()
		if err != nil {
			return nil, err
		}
		options = append(options, grpc.WithTransportCredentials(credentials.NewTLS(configuration)))
	} else {
		options = append(options, grpc.WithInsecure())
	}
	if s.Token != nil {
		source := &tokenSource{ask: s.Token, isEncrypted: isEncrypted}
		options = append(options, grpc.WithPerRPCCredentials(source))
		options = append(options, source.watching()...)
	}
	return options, nil
}

func (s Security) configuration() (*tls.Config, error) {
	configuration := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.Authorities != "" {
		text, err := os.ReadFile(s.Authorities)
		if err != nil {
			return nil, err
		}
		configuration.RootCAs = x509.NewCertPool()
		if !configuration.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: there is no certificate in it", s.Authorities)
		}
	}
	if s.Certificate != "" {
		// A pair that cannot be used is told at once, not with the first call.
		if _, err := tls.LoadX509KeyPair(s.Certificate, s.Key); err != nil {
			return nil, err
		}
		configuration.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			pair, err := tls.LoadX509KeyPair(s.Certificate, s.Key)
			return &pair, err
		}
	}
	return configuration, nil
}

// TokenFile returns a source of the token in a file, which something else renews.
func TokenFile(path string) func(context.Context) (string, time.Time, error) {
	return func(context.Context) (string, time.Time, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", time.Time{}, err
		}
		token := strings.TrimSpace(string(text))
		if token == "" {
			return "", time.Time{}, fmt.Errorf("the token file %s is empty", path)
		}
		return token, time.Time{}, nil
	}
}

// A tokenSource keeps a token until shortly before it ends.
type tokenSource struct {
	ask         func(context.Context) (string, time.Time, error)
	isEncrypted bool
	mu          sync.Mutex
	token       string
	renewal     time.Time
}

// The time before its end that a token is renewed: at most this, and at most a fifth of its time.
const renewalMargin = time.Minute

// GetRequestMetadata returns the header with the token. gRPC calls it for each call.
func (s *tokenSource) GetRequestMetadata(ctx context.Context, _ ...string) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); !now.Before(s.renewal) {
		token, end, err := s.ask(ctx)
		if err != nil {
			// Not refused, but not there: a viewer that was open tries again.
			return nil, status.Errorf(codes.Unavailable, "no token: %v", err)
		}
		s.token, s.renewal = token, time.Time{}
		if !end.IsZero() {
			margin := end.Sub(now) / 5
			if margin > renewalMargin {
				margin = renewalMargin
			}
			s.renewal = end.Add(-margin)
		}
	}
	return map[string]string{"authorization": "Bearer " + s.token}, nil
}

// noteEnd makes the next call ask for another token if one was refused, before its end or though it has none.
func (s *tokenSource) noteEnd(err error) {
	if status.Code(err) != codes.Unauthenticated {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewal = time.Time{}
}

// watching returns the options that tell how calls with the token end.
func (s *tokenSource) watching() []grpc.DialOption {
	unary := func(
		ctx context.Context, method string, request, answer interface{}, connection *grpc.ClientConn,
		invoke grpc.UnaryInvoker, options ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, request, answer, connection, options...)
		s.noteEnd(err)
		return err
	}
	stream := func(
		ctx context.Context, description *grpc.StreamDesc, connection *grpc.ClientConn, method string,
		open grpc.Streamer, options ...grpc.CallOption,
	) (grpc.ClientStream, error) {
		stream, err := open(ctx, description, connection, method, options...)
		s.noteEnd(err)
		if err != nil {
			return nil, err
		}
		return &watchedStream{stream, s}, nil
	}
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(unary), grpc.WithChainStreamInterceptor(stream)}
}

// A watchedStream tells how it ends.
type watchedStream struct {
	grpc.ClientStream
	source *tokenSource
}

func (s *watchedStream) RecvMsg(message interface{}) error {
	err := s.ClientStream.RecvMsg(message)
	if err != nil {
		s.source.noteEnd(err)
	}
	return err
}

// RequireTransportSecurity says whether gRPC refuses to send the token unencrypted.
func (s *tokenSource) RequireTransportSecurity() bool { return s.isEncrypted }
