// SPDX-License-Identifier: Apache-2.0
#include "viewer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "opening.h"

namespace collection_layout {
namespace {

using Request = v1::StreamLayoutRequest;

constexpr double kFirstDelay = 0.1, kMostDelay = 10;
// A stream that ends sooner after it was opened is a failure, so that a faulty server is not asked without end.
constexpr std::chrono::seconds kWorked(1);
// After so many frames that could not be applied, the fault is not on the way.
constexpr int kMostRejected = 3;
// So long the server may take to end a stream.
constexpr std::chrono::seconds kFarewell(1);

bool IsPassing(const LayoutError& error) {
  switch (error.code()) {
    case grpc::OK:
    case grpc::UNAVAILABLE:
    case grpc::CANCELLED:
    case grpc::UNKNOWN:
    case grpc::INTERNAL:
      return true;
    case grpc::DEADLINE_EXCEEDED:
      return error.reason().empty();
    case grpc::RESOURCE_EXHAUSTED:
      return error.retry_delay() > 0;
    default:
      return false;
  }
}

// Whether only the session for which it was meant can apply an event: it names slots, or is a step of something
// that ended with the session.
bool IsOfOneSession(const Request& request) {
  return request.has_measurements() || request.has_movement() || request.has_transition() ||
         request.outline().toggled_slots_size() > 0;
}

// An identifier with which an update is applied once.
std::string RequestId() {
  static constexpr char kDigits[] = "0123456789abcdef";
  // The system's randomness, since other clients choose identifiers too.
  std::random_device device;
  std::string id(32, '0');
  for (char& digit : id) digit = kDigits[device() % 16];
  return id;
}

}  // namespace

std::shared_ptr<grpc::Channel> Connect(
    const std::string& address, std::shared_ptr<grpc::ChannelCredentials> credentials) {
  grpc::ChannelArguments arguments;
  // The server sends at most 4 MiB in one message.
  arguments.SetMaxReceiveMessageSize(16 << 20);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  // An attempt gets at least so long, as it needs where the network is slow.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 3000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // Otherwise nobody would notice that a peer is gone which cannot say so.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

v1::ClientCapabilities Viewer::Capabilities(bool is_packed) {
  v1::ClientCapabilities capabilities;
  capabilities.add_encodings(
      is_packed ? v1::ELEMENT_ENCODING_PACKED : v1::ELEMENT_ENCODING_MESSAGES);
  capabilities.add_units_per_point(64);
  capabilities.set_checksums(true);
  capabilities.set_item_keys(true);
  capabilities.set_section_keys(true);
  capabilities.set_section_scrolls(true);
  return capabilities;
}

Viewer::Viewer(std::shared_ptr<grpc::Channel> channel, v1::OpenSession opening)
    : stub_(v1::LayoutSessionService::NewStub(channel)), opening_(std::move(opening)) {
  Open();
  while (mirror_.frame_seq() == 0) Next();
}

Viewer::~Viewer() {
  if (!stream_) return;
  // A server that does not end the stream in time is not waited for.
  std::jthread limit([this](std::stop_token stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, kFarewell, [] { return false; });
    if (!stop.stop_requested()) context_->TryCancel();
  });
  Request request;
  request.mutable_close()->set_discard(true);
  request.set_event_seq(++seq_);
  Write(request);
  stream_->WritesDone();
  while (stream_->Read(&response_)) {
  }
  stream_->Finish();
}

Point Viewer::offset() const {
  return {opening_.viewport().content_offset().x(), opening_.viewport().content_offset().y()};
}

// What goes out.

void Viewer::Open() {
  context_ = std::make_unique<grpc::ClientContext>();
  if (!opening_.collection().empty())
    context_->AddMetadata("x-layout-collection", opening_.collection());
  stream_ = stub_->StreamLayout(context_.get());
  Request request;
  // Only the first stream's opening has a number.
  if (seq_ == 0) request.set_event_seq(seq_ = 1);
  *request.mutable_open() = Opening();
  // The opening has what these would change.
  ForgetApplied(seq_);
  mirror_.ForgetParts();
  Write(request);
}

v1::OpenSession Viewer::Opening() {
  v1::OpenSession opening = opening_;
  leaves_layout_out_ = leaves_options_out_ = false;
  resumes_from_.reset();
  if (token_.empty()) return opening;
  resumes_from_ = mirror_.frame_seq();
  auto* resume = opening.mutable_resume();
  resume->set_resume_token(token_);
  resume->set_last_frame_seq(mirror_.frame_seq());
  resume->set_last_event_seq(seq_);
  resume->set_state_checksum(mirror_.checksum());
  resume->set_live_count(static_cast<std::uint32_t>(mirror_.elements().size()));
  opening.mutable_viewport()->set_observed_frame_seq(mirror_.frame_seq());
  // They may be applied already: the session knows best which layout and options it has.
  for (const auto& [seq, request] : pending_) {
    leaves_layout_out_ |= request.has_layout() || request.has_transition();
    leaves_options_out_ |= request.has_options();
  }
  if (leaves_options_out_) opening.clear_options();
  if (leaves_layout_out_) {
    opening.clear_layout();
    opening.clear_layout_name();
  }
  return opening;
}

void Viewer::Restore() {
  bool layout = leaves_layout_out_, options = leaves_options_out_;
  for (const auto& [seq, request] : pending_) {
    // It will tell the session another value.
    if (request.has_layout()) layout = false;
    if (request.has_options()) options = false;
  }
  if (options) {
    leaves_options_out_ = false;
    Request request;
    *request.mutable_options() = opening_.options();
    if (opening_.has_options()) Send(std::move(request));
  }
  if (!layout) return;
  leaves_layout_out_ = false;
  Request request;
  request.mutable_layout()->set_layout_name(opening_.layout_name());
  if (opening_.has_layout()) *request.mutable_layout()->mutable_layout() = opening_.layout();
  if (opening_.has_layout() || !opening_.layout_name().empty()) Send(std::move(request));
}

void Viewer::Write(const Request& request) {
  if (!stream_) return;
  // Where it fails, reading fails too, and the next stream sends again what counts.
  stream_->Write(request);
}

void Viewer::Acknowledge() {
  Request request;
  request.mutable_ack()->set_frame_seq(mirror_.frame_seq());
  request.mutable_ack()->set_state_checksum(mirror_.checksum());
  Write(request);
}

void Viewer::Scroll(Point offset) {
  Request request;
  auto* change = request.mutable_viewport()->mutable_content_offset();
  change->set_x(offset.x);
  change->set_y(offset.y);
  Send(std::move(request));
}

void Viewer::Resize(double width, double height) {
  Request request;
  request.mutable_viewport()->mutable_size()->set_width(width);
  request.mutable_viewport()->mutable_size()->set_height(height);
  Send(std::move(request));
}

std::uint64_t Viewer::Send(Request request) {
  if (failure_) throw *failure_;
  if (request.has_update() && request.update().request_id().empty())
    request.mutable_update()->set_request_id(RequestId());
  if (request.has_viewport()) {
    Merge(request.viewport(), *opening_.mutable_viewport());
    opening_.mutable_viewport()->clear_observed_frame_seq();
    request.mutable_viewport()->set_observed_frame_seq(mirror_.frame_seq());
  }
  request.set_event_seq(++seq_);
  // A stream that is being opened is sent it once its session is known.
  if (began_) Write(request);
  pending_[seq_] = std::move(request);
  return seq_;
}

v1::EventResult Viewer::Perform(Request request) {
  const std::uint64_t seq = Send(std::move(request));
  awaited_ = seq;
  while (!results_.contains(seq)) Next();
  v1::EventResult result = std::move(results_.extract(seq).mapped());
  if (result.has_problem()) throw LayoutError(result.problem());
  return result;
}

v1::ScrollTarget Viewer::FindScrollTarget(v1::ScrollTargetRequest request) {
  target_.Clear();
  Request event;
  *event.mutable_scroll_target() = std::move(request);
  Perform(std::move(event));
  return target_;
}

void Viewer::Settle() {
  std::uint64_t answered = 0;
  do {
    Request request;
    request.mutable_sync();
    answered = Perform(std::move(request)).event_seq();
    while (is_behind_ || mirror_.frame_seq() == 0) Next();
    // In a new session, the first frame may have made the viewer scroll to where it was.
  } while (restored_by_ > answered);
}

void Viewer::Break() {
  if (stream_) context_->TryCancel();
}

// What comes in.

const v1::StreamLayoutResponse& Viewer::Next() {
  if (failure_) throw *failure_;
  while (!stream_->Read(&response_)) {
    const LayoutError error(stream_->Finish());
    stream_.reset();
    Reopen(error);
  }
  if (response_.has_opened()) {
    ReceiveOpened(response_.opened());
  } else if (response_.has_frame()) {
    ReceiveFrame(response_.frame());
  } else if (response_.has_event_result()) {
    ReceiveResult(response_.event_result());
    Restore();
  } else if (response_.has_heartbeat()) {
    if (!response_.heartbeat().resume_token().empty()) token_ = response_.heartbeat().resume_token();
    ForgetApplied(response_.heartbeat().applied_event_seq());
    if (mirror_.Confirms(response_.heartbeat())) is_behind_ = false;
    Acknowledge();
  } else if (response_.has_scroll_target()) {
    ReceiveTarget(response_.scroll_target());
  } else if (response_.has_notice() && response_.notice().type() == v1::Notice::TYPE_GOING_AWAY) {
    announced_delay_ = BoundedDelay(response_.notice().reconnect_delay());
  }
  return response_;
}

bool Viewer::IsLost(const LayoutError& error) const {
  if (streams_ == 0 || token_.empty() || opening_.has_inline_contents()) return false;
  // A collection without a default layout cannot be shown without one.
  return error.reason() == "SESSION_EXPIRED" || error.reason() == "RESUME_TOKEN_INVALID" ||
         (leaves_layout_out_ && error.reason() == "LAYOUT_KIND_UNKNOWN");
}

bool Viewer::MayRenew(const LayoutError& error) const {
  return streams_ > 0 && error.code() == grpc::UNAUTHENTICATED && !has_renewed_;
}

bool Viewer::MayRetry(const LayoutError& error) const {
  return streams_ > 0 && error.code() != grpc::UNAUTHENTICATED && (announced_delay_ >= 0 || IsPassing(error));
}

void Viewer::Fail(const LayoutError& error) {
  failure_ = error;
  throw error;
}

void Viewer::Reopen(const LayoutError& error) {
  const auto began = std::exchange(began_, std::nullopt);
  const bool has_worked = began && std::chrono::steady_clock::now() - *began > kWorked;
  if (has_worked) {
    delay_ = kFirstDelay;
    has_renewed_ = false;
  }
  bool tries_at_once = false;
  if (IsLost(error)) {
    token_.clear();
    // The server that has refused to resume the session can open another one at once; one that ends what it has just
    // opened is a faulty one.
    tries_at_once = !began;
  } else if (MayRenew(error)) {
    has_renewed_ = tries_at_once = true;
  } else if (!MayRetry(error)) {
    Fail(error);
  }
  const double announced = std::exchange(announced_delay_, -1);
  if (!tries_at_once) std::this_thread::sleep_for(Delay(has_worked, announced, error.retry_delay()));
  Open();
}

std::chrono::duration<double> Viewer::Delay(bool has_worked, double announced, double least) {
  if (has_worked && announced >= 0) return std::chrono::duration<double>(std::max(announced, least));
  const double delay = delay_ * std::uniform_real_distribution(0.8, 1.2)(random_);
  delay_ = std::min(delay_ * 2, kMostDelay);
  // A server that tells each stream to go at once is a faulty one.
  return std::chrono::duration<double>(std::max({delay, announced, least}));
}

void Viewer::ReceiveOpened(const v1::SessionOpened& opened) {
  const bool is_new = opened_.session() != opened.session(), is_first = streams_ == 0;
  const auto resumed_from = std::exchange(resumes_from_, std::nullopt);
  opened_ = opened;
  token_ = opened.resume_token();
  began_ = std::chrono::steady_clock::now();
  announced_delay_ = -1;
  ++streams_;
  if (is_new) {
    const v1::Size& size = opening_.viewport().size();
    // A session that ends before its first frame has no places: those of the one before count.
    if (!is_first && mirror_.frame_seq() > 0)
      anchor_ = ScreenAnchor(mirror_, {offset().x, offset().y, size.width(), size.height()},
                             opening_.options().anchor_mode());
    mirror_ = Mirror(static_cast<int>(opened.units_per_point()));
  }
  // The server has compared the checksum.
  if (opened.outcome() == v1::SessionOpened::OUTCOME_RESUMED && resumed_from == mirror_.frame_seq())
    is_behind_ = false;
  if (!is_new || is_first) leaves_layout_out_ = leaves_options_out_ = false;
  ForgetApplied(opened.last_event_seq());
  if (is_new && !is_first) RefuseWhatIsLost();
  for (auto& [seq, request] : pending_) {
    // What this session has applied it would not take again; it tells the answers again.
    if (!is_new && seq <= opened.last_event_seq()) continue;
    if (is_new && request.has_viewport()) request.mutable_viewport()->set_observed_frame_seq(0);
    Write(request);
  }
  Restore();
}

void Viewer::RefuseWhatIsLost() {
  std::vector<std::uint64_t> lost;
  for (const auto& [seq, request] : pending_)
    if (IsOfOneSession(request)) lost.push_back(seq);
  for (std::uint64_t seq : lost) {
    v1::EventResult result;
    result.set_event_seq(seq);
    result.mutable_problem()->set_code(grpc::NOT_FOUND);
    result.mutable_problem()->set_reason("SESSION_EXPIRED");
    result.mutable_problem()->set_message("the session ended before it answered");
    ReceiveResult(result);
  }
}

void Viewer::ReceiveFrame(const v1::LayoutFrame& frame) {
  std::optional<Point> adjustment;
  resumes_from_.reset();
  try {
    adjustment = mirror_.Apply(frame);
  } catch (const FrameError& error) {
    is_behind_ = true;
    if (++rejected_ > kMostRejected && frame.base_frame_seq() == 0)
      Fail(LayoutError(grpc::DATA_LOSS, "", std::string("frames cannot be applied: ") + error.what()));
    // Answered by a keyframe.
    Request request;
    request.mutable_ack()->set_frame_seq(frame.frame_seq());
    request.mutable_ack()->set_rejected(true);
    Write(request);
    return;
  }
  if (!adjustment) return;
  rejected_ = 0;
  // Other frames build on elements that may be inconsistent.
  if (frame.base_frame_seq() == 0 || frame.has_state_checksum()) is_behind_ = false;
  auto* offset = opening_.mutable_viewport()->mutable_content_offset();
  offset->set_x(offset->x() + adjustment->x);
  offset->set_y(offset->y() + adjustment->y);
  // From now on the offset says where the user is.
  opening_.clear_start();
  ForgetApplied(frame.applied_event_seq());
  Acknowledge();
  const auto moved = std::exchange(anchor_, {}).Displacement(mirror_);
  if (!moved || *moved == Point{}) return;
  Scroll({offset->x() + moved->x, offset->y() + moved->y});
  restored_by_ = seq_;
}

void Viewer::ReceiveTarget(const v1::ScrollTarget& target) {
  if (target.event_seq() == awaited_ && awaited_ != 0) target_ = target;
  if (target.event_seq() != 0 || !target.has_section_offset()) return;
  // The server scrolls the section by itself, and a new session would have to be told.
  v1::ViewportChange change;
  *change.add_section_offsets() = target.section_offset();
  Merge(change, *opening_.mutable_viewport());
}

void Viewer::NoteStep(const v1::InteractiveTransition& transition) {
  if (transition.has_begin()) {
    next_layout_ = transition.begin();
  } else if (transition.has_finish() && next_layout_) {
    // A transition that is finished leaves its layout.
    opening_.clear_layout_name();
    *opening_.mutable_layout() = *next_layout_;
  }
  if (transition.has_finish() || transition.has_cancel()) next_layout_.reset();
}

void Viewer::NoteApplied(const Request& request, const v1::EventResult& result) {
  if (request.has_layout()) {
    leaves_layout_out_ = false;
    opening_.clear_layout();
    opening_.set_layout_name(request.layout().layout_name());
    if (request.layout().layout_name().empty()) *opening_.mutable_layout() = request.layout().layout();
  } else if (request.has_transition()) {
    NoteStep(request.transition());
  } else if (request.has_options()) {
    leaves_options_out_ = false;
    *opening_.mutable_options() = request.options();
  } else if (request.has_table()) {
    Merge(request.table(), *opening_.mutable_table());
  } else if (request.has_outline() && result.data_version() == 0) {
    // With a version the expansions are shared: the collection keeps them.
    Merge(request.outline(), *opening_.mutable_expansions());
  }
}

void Viewer::ReceiveResult(const v1::EventResult& result) {
  const std::uint64_t seq = result.event_seq();
  const auto found = pending_.find(seq);
  if (found != pending_.end()) {
    if (!result.has_problem()) {
      NoteApplied(found->second, result);
    } else if (found->second.has_viewport()) {
      refusals_.emplace_back(result.problem());
    }
    pending_.erase(found);
  }
  if (seq == awaited_) results_[seq] = result;
}

// Viewport changes have no other answer than a frame that reflects them.
void Viewer::ForgetApplied(std::uint64_t seq) {
  std::erase_if(pending_, [seq](const auto& entry) {
    return entry.first <= seq && entry.second.has_viewport();
  });
}

}  // namespace collection_layout
