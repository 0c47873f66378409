// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	mathrand "math/rand"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// An authority issues certificates into files of a folder.
type authority struct {
	folder      string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{folder: t.TempDir()}
	a.key = must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der := must[[]byte](t)(x509.CreateCertificate(rand.Reader, template, template, &a.key.PublicKey, a.key))
	a.certificate = must[*x509.Certificate](t)(x509.ParseCertificate(der))
	a.write(t, "ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) path(name string) string { return filepath.Join(a.folder, name) }

func (a *authority) write(t *testing.T, name, kind string, der []byte) {
	t.Helper()
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(a.path(name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// issue writes NAME.pem and NAME.key.
func (a *authority) issue(t *testing.T, name string, usage x509.ExtKeyUsage, uri string) {
	t.Helper()
	a.serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1 + a.serial), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{usage},
	}
	if uri != "" {
		template.URIs = []*url.URL{must[*url.URL](t)(url.Parse(uri))}
	} else {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	key := must[*ecdsa.PrivateKey](t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	a.write(t, name+".pem", "CERTIFICATE", must[[]byte](t)(
		x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)))
	a.write(t, name+".key", "PRIVATE KEY", must[[]byte](t)(x509.MarshalPKCS8PrivateKey(key)))
}

// secured starts a server with TLS that knows a token, and client certificates if it is to ask for them.
func secured(t *testing.T, a *authority, asksForCertificates bool) *process {
	t.Helper()
	a.issue(t, "server", x509.ExtKeyUsageServerAuth, "")
	token := "0123456789abcdef0123456789abcdef"
	digest := fmt.Sprintf("root %x\n", sha256.Sum256([]byte(token)))
	policy := `{"rules": [
		{"identities": ["token:root", "certificate:spiffe://x.org/editor"], "role": "admin",
		 "collections": ["*"]}]}`
	for name, text := range map[string]string{"tokens": digest, "policy.json": policy, "token": token + "\n"} {
		if err := os.WriteFile(a.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options := []string{"--port", "0", "--store", "memory",
		"--tls-certificate", a.path("server.pem"), "--tls-key", a.path("server.key"),
		"--auth-policy", a.path("policy.json"), "--auth-tokens", a.path("tokens")}
	if asksForCertificates {
		options = append(options, "--tls-client-ca", a.path("ca.pem"))
	}
	return startServer(t, options...)
}

func dialSecured(t *testing.T, server *process, security Security) *Client {
	t.Helper()
	options, err := security.DialOptions()
	if err != nil {
		t.Fatal(err)
	}
	return dial(t, server.address, options...)
}

func code(err error) codes.Code {
	var problem *Problem
	if !errors.As(err, &problem) {
		return codes.OK
	}
	return problem.Code
}

func TestATokenOverTLS(t *testing.T) {
	a := newAuthority(t)
	server := secured(t, a, false)
	client := dialSecured(t, server, Security{
		Authorities: a.path("ca.pem"), Token: TokenFile(a.path("token")),
	})
	collection := createCollection(t, client, contents(mathrand.New(mathrand.NewSource(3)), 2, 200))
	viewer, err := client.Open(limited(t), opening(collection, flow()))
	if err != nil {
		t.Fatal(err)
	}
	defer viewer.Close()
	for step := 1; step <= 20; step++ {
		if _, err := viewer.ScrollTo(Point{Y: float64(step * 90)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := viewer.Settle(limited(t)); err != nil {
		t.Fatal(err)
	}
	verify(t, viewer)
}

func TestACertificateInsteadOfAToken(t *testing.T) {
	a := newAuthority(t)
	server := secured(t, a, true)
	a.issue(t, "editor", x509.ExtKeyUsageClientAuth, "spiffe://x.org/editor")
	a.issue(t, "stranger", x509.ExtKeyUsageClientAuth, "spiffe://x.org/stranger")
	trusted := Security{Authorities: a.path("ca.pem")}
	trusted.Certificate, trusted.Key = a.path("editor.pem"), a.path("editor.key")
	createCollection(t, dialSecured(t, server, trusted), contents(mathrand.New(mathrand.NewSource(4)), 1, 10))

	trusted.Certificate, trusted.Key = a.path("stranger.pem"), a.path("stranger.key")
	_, err := layoutpb.NewCollectionServiceClient(dialSecured(t, server, trusted)).ListCollections(
		limited(t), &layoutpb.ListCollectionsRequest{})
	if code(err) != codes.PermissionDenied {
		t.Fatalf("%v, although the policy does not name the client", err)
	}

	trusted.Certificate, trusted.Key = "", ""
	_, err = layoutpb.NewCollectionServiceClient(dialSecured(t, server, trusted)).ListCollections(
		limited(t), &layoutpb.ListCollectionsRequest{})
	if err == nil {
		t.Fatal("a client without a certificate was let in")
	}
}

func TestWrongCredentialsAreRefused(t *testing.T) {
	a := newAuthority(t)
	server := secured(t, a, false)
	wrong := func(context.Context) (string, time.Time, error) { return "wrong", time.Time{}, nil }
	for name, security := range map[string]Security{
		"no token": {Authorities: a.path("ca.pem")}, "a wrong one": {Authorities: a.path("ca.pem"), Token: wrong},
	} {
		client := dialSecured(t, server, security)
		_, err := layoutpb.NewCollectionServiceClient(client).ListCollections(
			limited(t), &layoutpb.ListCollectionsRequest{})
		if code(err) != codes.Unauthenticated {
			t.Fatalf("%s: %v", name, err)
		}
	}
	// Another authority's server is not trusted, and gets no token.
	other := newAuthority(t)
	asked := false
	client := dialSecured(t, server, Security{
		Authorities: other.path("ca.pem"),
		Token: func(context.Context) (string, time.Time, error) {
			asked = true
			return "secret", time.Time{}, nil
		},
	})
	_, err := layoutpb.NewCollectionServiceClient(client).ListCollections(
		limited(t), &layoutpb.ListCollectionsRequest{})
	if err == nil || asked {
		t.Fatalf("%v (asked for a token: %v), although the server is not trusted", err, asked)
	}
}

func TestATokenIsAskedForBeforeItEnds(t *testing.T) {
	asked := 0
	source := &tokenSource{ask: func(context.Context) (string, time.Time, error) {
		asked++
		return fmt.Sprint("t", asked), time.Now().Add(time.Hour), nil
	}}
	for i := 0; i < 3; i++ {
		header, err := source.GetRequestMetadata(limited(t))
		if err != nil || header["authorization"] != "Bearer t1" {
			t.Fatal(header, err)
		}
	}
	source.renewal = time.Now()
	if header, _ := source.GetRequestMetadata(limited(t)); header["authorization"] != "Bearer t2" {
		t.Fatal(header)
	}
}

func TestASourceOfTokensThatFailsIsNotARefusal(t *testing.T) {
	source := &tokenSource{ask: func(context.Context) (string, time.Time, error) {
		return "", time.Time{}, errors.New("the service for tokens is away")
	}}
	if _, err := source.GetRequestMetadata(limited(t)); !isPassing(statusProblem(err)) {
		t.Fatalf("%v found", err)
	}
}

func TestIncompleteSecurityIsRefused(t *testing.T) {
	for _, security := range []Security{
		{Certificate: "c"}, {Key: "k", TLS: true}, {Certificate: "c", Key: "k"},
		{Authorities: "/nowhere/ca.pem"}, {TLS: true, Certificate: "/nowhere/c", Key: "/nowhere/k"},
	} {
		if _, err := security.DialOptions(); err == nil {
			t.Fatalf("%+v was accepted", security)
		}
	}
}

func TestATokenThatWasRefusedIsAskedForAgain(t *testing.T) {
	asked := 0
	source := &tokenSource{ask: func(context.Context) (string, time.Time, error) {
		asked++
		return fmt.Sprintf("token %d", asked), time.Now().Add(time.Hour), nil
	}}
	for _, step := range []struct {
		err  error
		want int
	}{
		{nil, 1},
		{status.Error(codes.Unavailable, "gone"), 1},
		{status.Error(codes.Unauthenticated, "revoked"), 2},
		{nil, 2},
	} {
		source.noteEnd(step.err)
		if _, err := source.GetRequestMetadata(context.Background()); err != nil || asked != step.want {
			t.Fatalf("asked %d times instead of %d, %v", asked, step.want, err)
		}
	}
}
