// SPDX-License-Identifier: Apache-2.0

package layoutclient

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"collectionlayout.example/layoutclient/layoutpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// A Problem is why the server refused an event or a call. It is an error.
type Problem struct {
	// Code is a gRPC status code.
	Code codes.Code
	// Reason is for programs, such as "VERSION_CONFLICT"; empty if the code says everything. The protocol's
	// guide has a table of all reasons.
	Reason string
	// Message is for people: which field, what was found, what is allowed.
	Message string
	// Fields are those at fault.
	Fields []FieldFault
	// Metadata holds facts for programs, such as "limit".
	Metadata map[string]string
	// RetryDelay is how long to wait before trying again; 0 = the server named no time.
	RetryDelay time.Duration
}

// A FieldFault is one field at fault.
type FieldFault struct {
	// Field is a path from the event or request on, such as "operations[3].move_item.to"; empty = the message
	// itself.
	Field string
	// Description says what value was found and what is allowed, for people.
	Description string
}

// Error returns reason and message.
func (p *Problem) Error() string {
	name := p.Reason
	if name == "" {
		name = p.Code.String()
	}
	return name + ": " + p.Message
}

// GRPCStatus returns code and message as a status, for status.Code and status.FromError.
func (p *Problem) GRPCStatus() *status.Status { return status.New(p.Code, p.Message) }

// ReasonOf returns the reason of a problem within err; empty = there is none.
func ReasonOf(err error) string {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem.Reason
	}
	return ""
}

// problemOf reads the problem of a refused event.
func problemOf(message *layoutpb.Problem) *Problem {
	problem := &Problem{Code: codes.Code(message.GetCode()), Reason: message.GetReason(),
		Message: message.GetMessage(), Metadata: message.GetMetadata()}
	for _, violation := range message.GetFieldViolations() {
		problem.Fields = append(problem.Fields, FieldFault{violation.GetField(), violation.GetDescription()})
	}
	milliseconds, err := strconv.ParseInt(problem.Metadata["retryDelayMilliseconds"], 10, 64)
	if err == nil {
		problem.RetryDelay = delay(milliseconds/1000, milliseconds%1000*1e6)
	}
	return problem
}

// statusProblem reads the problem of a call; nil if err is nil. Errors without a status, such as those of
// contexts and io.EOF, stay what they are.
func statusProblem(err error) error {
	var hasStatus interface{ GRPCStatus() *status.Status }
	if err == nil || !errors.As(err, &hasStatus) {
		return err
	}
	found := hasStatus.GRPCStatus()
	problem := &Problem{Code: found.Code(), Message: found.Message(), Metadata: map[string]string{}}
	for _, detail := range found.Proto().GetDetails() {
		// The details are read without their generated types, which are in one of two Go modules, depending
		// on the version of gRPC.
		switch detail.GetTypeUrl()[strings.LastIndexByte(detail.GetTypeUrl(), '/')+1:] {
		case "google.rpc.ErrorInfo":
			problem.takeErrorInfo(detail.GetValue())
		case "google.rpc.BadRequest":
			eachField(detail.GetValue(), func(number protowire.Number, violation []byte, _ uint64) {
				if number == 1 {
					problem.takeViolation(violation)
				}
			})
		case "google.rpc.RetryInfo":
			eachField(detail.GetValue(), func(number protowire.Number, duration []byte, _ uint64) {
				if number == 1 {
					problem.takeDelay(duration)
				}
			})
		}
	}
	return problem
}

func (p *Problem) takeErrorInfo(bytes []byte) {
	eachField(bytes, func(number protowire.Number, value []byte, _ uint64) {
		switch number {
		case 1:
			p.Reason = string(value)
		case 3:
			var key, text string
			eachField(value, func(number protowire.Number, value []byte, _ uint64) {
				if number == 1 {
					key = string(value)
				} else {
					text = string(value)
				}
			})
			p.Metadata[key] = text
		}
	})
}

func (p *Problem) takeViolation(bytes []byte) {
	var fault FieldFault
	eachField(bytes, func(number protowire.Number, value []byte, _ uint64) {
		switch number {
		case 1:
			fault.Field = string(value)
		case 2:
			fault.Description = string(value)
		}
	})
	p.Fields = append(p.Fields, fault)
}

func (p *Problem) takeDelay(bytes []byte) {
	var seconds, nanoseconds int64
	eachField(bytes, func(number protowire.Number, _ []byte, value uint64) {
		switch number {
		case 1:
			seconds = int64(value)
		case 2:
			nanoseconds = int64(value)
		}
	})
	p.RetryDelay = delay(seconds, nanoseconds)
}

// eachField visits the fields of an encoded message: bytes for those with a length, a number for varints. It
// ends where the message is malformed.
func eachField(message []byte, visit func(number protowire.Number, bytes []byte, varint uint64)) {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return
		}
		message = message[length:]
		switch kind {
		case protowire.BytesType:
			bytes, length := protowire.ConsumeBytes(message)
			if length < 0 {
				return
			}
			visit(number, bytes, 0)
			message = message[length:]
		case protowire.VarintType:
			value, length := protowire.ConsumeVarint(message)
			if length < 0 {
				return
			}
			visit(number, nil, value)
			message = message[length:]
		default:
			length := protowire.ConsumeFieldValue(number, kind, message)
			if length < 0 {
				return
			}
			message = message[length:]
		}
	}
}

// delay returns a time to wait, between 0 and a minute, whatever a server says.
func delay(seconds, nanoseconds int64) time.Duration {
	const longest = time.Minute
	switch {
	case seconds < 0 || nanoseconds < 0:
		return 0
	case seconds > 60 || nanoseconds > int64(longest):
		return longest
	}
	result := time.Duration(seconds)*time.Second + time.Duration(nanoseconds)
	if result > longest {
		return longest
	}
	return result
}

// isPassing reports whether a call that ended so may succeed when it is tried again later.
func isPassing(err error) bool {
	var problem *Problem
	if !errors.As(err, &problem) {
		return false
	}
	switch problem.Reason {
	case "SLOW_CLIENT", "SERVER_DRAINING", "STORE_UNAVAILABLE":
		return true
	case "":
		switch problem.Code {
		case codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal, codes.DeadlineExceeded:
			return true
		}
		return false
	}
	return problem.Code == codes.Unavailable ||
		problem.Code == codes.ResourceExhausted && problem.RetryDelay > 0
}

// broken returns the error of a stream that ended without a refusal.
func broken(format string, values ...interface{}) error {
	return &Problem{Code: codes.Unavailable, Message: fmt.Sprintf(format, values...)}
}
