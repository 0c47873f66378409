// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "anchor.h"
#include "collection_layout/v1/session.grpc.pb.h"
#include "mirror.h"
#include "problem.h"

namespace collection_layout {

// A connection that tries again soon after it was lost. For TLS and tokens pass other credentials; a token in
// call credentials goes with each call.
std::shared_ptr<grpc::Channel> Connect(
    const std::string& address,
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials());

// A viewer of a collection: applies what the server sends, acknowledges it, and resumes when the stream breaks.
//
// It has no threads: `Next` waits for a message and applies it. A client that does not call `Next` for three
// heartbeats (45 s) loses its stream, and resumes with the next call. Only one thread may use a viewer at a time.
//
// Errors are LayoutError: the server refused the opening, or another stream is of no use.
class Viewer {
 public:
  // Opens a session, and waits for its first frame. The capabilities should be those of `Capabilities`.
  Viewer(std::shared_ptr<grpc::Channel> channel, v1::OpenSession opening);
  // Ends the session, and waits at most a second for the server.
  ~Viewer();
  Viewer(const Viewer&) = delete;
  Viewer& operator=(const Viewer&) = delete;

  // Packed elements, or one message for each without rounding; with checksums and item keys.
  static v1::ClientCapabilities Capabilities(bool is_packed = true);

  // Waits for a message of the server, applies it, and returns it. After a stream that broke there is another.
  const v1::StreamLayoutResponse& Next();

  // Scrolls, and returns at once; what is refused is in `refusals`.
  void Scroll(Point offset);
  // Another size of the view, in points.
  void Resize(double width, double height);
  // Sends any event and returns its number.
  std::uint64_t Send(v1::StreamLayoutRequest request);
  // Sends an event that has an answer, and applies messages until the answer comes. Throws LayoutError if it is
  // refused. An update is applied once, also if the stream breaks meanwhile.
  v1::EventResult Perform(v1::StreamLayoutRequest request);
  // Asks where to scroll, or where a step leads. Throws LayoutError if that is refused.
  v1::ScrollTarget FindScrollTarget(v1::ScrollTargetRequest request);
  // Applies messages until the elements reflect all that was sent. After a frame that was refused it also waits for the
  // keyframe that replaces it.
  void Settle();

  const Mirror& mirror() const { return mirror_; }
  // The scroll offset: that of `Scroll`, and what frames have added since.
  Point offset() const;
  // The name of the session, for queries about what it shows.
  const std::string& session() const { return opened_.session(); }
  // What the newest stream was opened with.
  const v1::SessionOpened& opened() const { return opened_; }
  // How many streams there were.
  int streams() const { return streams_; }
  // Viewport changes that were refused.
  std::vector<LayoutError>& refusals() { return refusals_; }

  // Ends the stream as a lost connection does; the next call resumes.
  void Break();

 private:
  using Stream = grpc::ClientReaderWriter<v1::StreamLayoutRequest, v1::StreamLayoutResponse>;

  void Open();
  void Reopen(const LayoutError& error);
  // Whether a session is gone where its collection may well be there.
  bool IsLost(const LayoutError& error) const;
  // Whether the token may have ended, and call credentials have another one. After one that was of no use, only a
  // stream that has worked makes that likely.
  bool MayRenew(const LayoutError& error) const;
  // Whether another stream may be opened later, after one that ended so.
  bool MayRetry(const LayoutError& error) const;
  [[noreturn]] void Fail(const LayoutError& error);
  v1::OpenSession Opening();
  // Tells a new session what its opening left out, unless a pending event will.
  void Restore();
  void Write(const v1::StreamLayoutRequest& request);
  void Acknowledge();
  void ReceiveOpened(const v1::SessionOpened& opened);
  void RefuseWhatIsLost();
  void ReceiveFrame(const v1::LayoutFrame& frame);
  void ReceiveResult(const v1::EventResult& result);
  void ReceiveTarget(const v1::ScrollTarget& target);
  void NoteApplied(const v1::StreamLayoutRequest& request, const v1::EventResult& result);
  void NoteStep(const v1::InteractiveTransition& transition);
  void ForgetApplied(std::uint64_t seq);
  // Until the next stream: no shorter than what the server announced when it went away (negative = nothing) and what
  // it asked for at least.
  std::chrono::duration<double> Delay(bool has_worked, double announced, double least);

  std::unique_ptr<v1::LayoutSessionService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_;
  // None once the viewer has failed.
  std::unique_ptr<Stream> stream_;
  std::optional<LayoutError> failure_;
  // As a new session would have to be opened.
  v1::OpenSession opening_;
  // Where a transition ends; nothing = there is none.
  std::optional<v1::LayoutSpec> next_layout_;
  // What the last opening left out: a new session has the defaults of these.
  bool leaves_layout_out_ = false;
  bool leaves_options_out_ = false;
  Mirror mirror_;
  // In a new session, until its first frame.
  ScreenAnchor anchor_;
  v1::SessionOpened opened_;
  v1::StreamLayoutResponse response_;
  int streams_ = 0;
  // Whether a token was refused since the last stream that worked for a while.
  bool has_renewed_ = false;
  int rejected_ = 0;
  // The number of the last event that scrolled to where the items in sight were.
  std::uint64_t restored_by_ = 0;
  // Whether the elements lack a frame that was refused.
  bool is_behind_ = false;
  // The frame from which this stream would resume; nothing = it does not, or the server has said something already.
  std::optional<std::uint64_t> resumes_from_;
  std::uint64_t seq_ = 0;
  std::string token_;
  // Events without an answer yet, by number.
  std::map<std::uint64_t, v1::StreamLayoutRequest> pending_;
  // Answers that `Perform` waits for.
  std::map<std::uint64_t, v1::EventResult> results_;
  std::uint64_t awaited_ = 0;
  v1::ScrollTarget target_;
  std::vector<LayoutError> refusals_;
  // Until the next stream, in seconds: doubles with each failure, and is no shorter than what the server said when
  // it went away.
  double delay_ = 0.1;
  double announced_delay_ = -1;
  // When the newest stream was opened; nothing = it was not.
  std::optional<std::chrono::steady_clock::time_point> began_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace collection_layout
