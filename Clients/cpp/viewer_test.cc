// SPDX-License-Identifier: Apache-2.0
// Viewers against a real server, which LAYOUT_SERVER names: both encodings while scrolling and editing, streams
// that break, and a server that is killed. And against one that only breaks streams.

#include "viewer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <google/protobuf/unknown_field_set.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <regex>
#include <thread>

#include "collection_layout/v1/collection_service.grpc.pb.h"
#include "collection_layout/v1/query_service.grpc.pb.h"
#include "opening.h"
#include "testing.h"

using namespace collection_layout;

namespace {

using Request = v1::StreamLayoutRequest;

// A process of layout-server, on a free port at first and then on the same.
class Server {
 public:
  explicit Server(std::string store) : store_(std::move(store)) { Start(); }
  ~Server() { Kill(); }

  const std::string& address() const { return address_; }

  void Kill() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void Start() {
    const char* binary = std::getenv("LAYOUT_SERVER");
    CHECK(binary != nullptr);
    const std::string port = address_.empty() ? "0" : address_.substr(address_.rfind(':') + 1);
    int output[2];
    CHECK(pipe2(output, O_CLOEXEC) == 0);
    pid_ = fork();
    CHECK(pid_ >= 0);
    if (pid_ == 0) {
      // A test that fails leaves no server behind.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      dup2(output[1], STDOUT_FILENO);
      execl(binary, binary, "--port", port.c_str(), "--store-path", store_.c_str(), "--log-level", "error",
            nullptr);
      _exit(127);
    }
    close(output[1]);
    std::string line;
    char byte = 0;
    while (read(output[0], &byte, 1) == 1 && byte != '\n') line += byte;
    std::smatch found;
    CHECK(std::regex_search(line, found, std::regex("[0-9.]+:[0-9]+")));
    address_ = found[0];
    // The server prints nothing else that would need a reader.
  }

 private:
  std::string store_, address_;
  pid_t pid_ = -1;
};

v1::CollectionContents Contents() {
  v1::CollectionContents contents;
  for (int number = 0; number < 20; ++number) {
    auto* section = contents.add_sections();
    section->set_key("s" + std::to_string(number));
    auto* block = section->add_blocks();
    block->set_count(100);
    for (int item = 0; item < 100; ++item) {
      block->add_widths(40 + (item * 37 + number * 11) % 160);
      block->add_heights(40 + (item * 53 + number * 29) % 160);
      block->add_keys("s" + std::to_string(number) + "i" + std::to_string(item));
      block->add_data("title " + std::to_string(item % 7));
    }
  }
  return contents;
}

std::string CreateCollection(const Server& server) {
  auto stub = v1::CollectionService::NewStub(Connect(server.address()));
  v1::CreateCollectionRequest request;
  *request.mutable_contents() = Contents();
  v1::CreateCollectionResponse response;
  grpc::ClientContext context;
  CHECK(stub->CreateCollection(&context, request, &response).ok());
  return response.collection().name();
}

v1::OpenSession Opening(bool is_packed) {
  v1::OpenSession opening;
  *opening.mutable_capabilities() = Viewer::Capabilities(is_packed);
  opening.mutable_capabilities()->set_item_data(true);
  auto* flow = opening.mutable_layout()->mutable_flow();
  flow->mutable_header_reference_size()->set_height(40);
  flow->set_section_headers_pin_to_visible_bounds(true);
  opening.mutable_viewport()->mutable_size()->set_width(1024);
  opening.mutable_viewport()->mutable_size()->set_height(768);
  return opening;
}

v1::StreamLayoutRequest Insertion(std::uint32_t section, std::uint32_t item) {
  v1::StreamLayoutRequest request;
  auto* insert = request.mutable_update()->mutable_operations()->add_operations()->mutable_insert_items();
  insert->mutable_at()->set_section(section);
  insert->mutable_at()->set_item(item);
  auto* block = insert->add_blocks();
  block->set_count(1);
  block->add_widths(70);
  block->add_heights(33.3);
  return request;
}

// Compares the mirror with what the server answers for the same rect; columns round edges to units.
void Verify(v1::LayoutQueryService::Stub& queries, const Viewer& viewer, double tolerance) {
  std::map<Key, const Element*> held;
  for (const auto& [slot, element] : viewer.mirror().elements()) held[element.key] = &element;
  CHECK(held.size() == viewer.mirror().elements().size() && held.size() > 10);
  v1::QueryElementsRequest request;
  request.mutable_target()->set_session(viewer.session());
  const Rect& coverage = viewer.mirror().coverage();
  request.mutable_rect()->set_x(coverage.x);
  request.mutable_rect()->set_y(coverage.y);
  request.mutable_rect()->set_width(coverage.width);
  request.mutable_rect()->set_height(coverage.height);
  std::size_t count = 0;
  do {
    v1::QueryElementsResponse response;
    grpc::ClientContext context;
    CHECK(queries.QueryElements(&context, request, &response).ok());
    for (const auto& each : response.elements()) {
      v1::LayoutElement message;
      *message.mutable_key() = each.key();
      *message.mutable_attributes() = each.attributes();
      message.set_item_key(each.item_key());
      message.set_section_key(each.section_key());
      message.set_item_data(each.item_data());
      const Element expected = ElementOf(message);
      const auto found = held.find(expected.key);
      CHECK(found != held.end());
      const Element& mine = *found->second;
      CHECK(mine.item_key == expected.item_key && mine.z_index == expected.z_index);
      CHECK(mine.section_key == expected.section_key && mine.item_data == expected.item_data);
      CHECK(mine.hidden == expected.hidden && std::abs(mine.alpha - expected.alpha) <= tolerance);
      CHECK(std::abs(mine.frame.x - expected.frame.x) <= tolerance);
      CHECK(std::abs(mine.frame.y - expected.frame.y) <= tolerance);
      CHECK(std::abs(mine.frame.width - expected.frame.width) <= 2 * tolerance);
      CHECK(std::abs(mine.frame.height - expected.frame.height) <= 2 * tolerance);
      ++count;
    }
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  CHECK(count == held.size());
}

void TestScrollingAndEdits(const Server& server) {
  auto queries = v1::LayoutQueryService::NewStub(Connect(server.address()));
  for (bool is_packed : {false, true}) {
    v1::OpenSession opening = Opening(is_packed);
    *opening.mutable_inline_contents() = Contents();
    Viewer viewer(Connect(server.address()), opening);
    CHECK(viewer.opened().encoding() ==
          (is_packed ? v1::ELEMENT_ENCODING_PACKED : v1::ELEMENT_ENCODING_MESSAGES));
    for (std::uint32_t step = 1; step <= 60; ++step) {
      viewer.Scroll({0, step * 97.0});
      if (step % 3 == 0) {
        const auto result = viewer.Perform(Insertion(step % 20, step % 90));
        CHECK(result.data_version() == step / 3);
      }
      if (step % 5 == 0) viewer.Settle();
      if (step % 5 == 0) Verify(*queries, viewer, is_packed ? 0.5 / 64 + 1e-9 : 0);
    }
    viewer.Resize(500, 400);
    viewer.Settle();
    Verify(*queries, viewer, is_packed ? 0.5 / 64 + 1e-9 : 0);
    CHECK(viewer.streams() == 1 && viewer.refusals().empty());
  }
}

void TestRefusals(const Server& server) {
  v1::OpenSession opening = Opening(true);
  opening.set_collection("collections/none");
  try {
    Viewer viewer(Connect(server.address()), opening);
    CHECK(false);
  } catch (const LayoutError& error) {
    CHECK(error.code() == grpc::NOT_FOUND);
  }
  opening.set_collection(CreateCollection(server));
  Viewer viewer(Connect(server.address()), opening);
  v1::StreamLayoutRequest request;
  request.mutable_layout()->mutable_layout()->mutable_list()->set_row_height(-4);
  try {
    viewer.Perform(request);
    CHECK(false);
  } catch (const LayoutError& error) {
    CHECK(error.code() == grpc::INVALID_ARGUMENT && error.reason() == "FIELD_INVALID");
  }
  viewer.Resize(-1, 5);
  viewer.Settle();
  CHECK(viewer.refusals().size() == 1);
}

void TestBrokenStreams(const Server& server) {
  auto queries = v1::LayoutQueryService::NewStub(Connect(server.address()));
  v1::OpenSession opening = Opening(true);
  *opening.mutable_inline_contents() = Contents();
  Viewer viewer(Connect(server.address()), opening);
  const std::string session = viewer.session();
  for (std::uint32_t step = 1; step <= 5; ++step) {
    viewer.Send(Insertion(0, step));
    viewer.Break();
    CHECK(viewer.Perform(Insertion(1, step)).data_version() == 2 * step);
    viewer.Scroll({0, step * 1000.0});
    viewer.Settle();
    CHECK(viewer.streams() == static_cast<int>(step) + 1);
    CHECK(viewer.opened().outcome() != v1::SessionOpened::OUTCOME_RESET);
    Verify(*queries, viewer, 0.5 / 64 + 1e-9);
  }
  CHECK(viewer.session() == session);
}

// Events that were applied, and whose answers are lost with the stream.
void TestLostAnswers(const Server& server) {
  v1::OpenSession opening = Opening(true);
  opening.set_collection(CreateCollection(server));
  Viewer viewer(Connect(server.address()), opening);
  auto collections = v1::CollectionService::NewStub(Connect(server.address()));
  for (std::uint32_t step = 1; step <= 5; ++step) {
    viewer.Send(Insertion(0, step));
    v1::GetCollectionRequest request;
    request.set_name(opening.collection());
    v1::GetCollectionResponse response;
    while (response.collection().data_version() < 2 * step - 1) {
      grpc::ClientContext context;
      CHECK(collections->GetCollection(&context, request, &response).ok());
    }
    viewer.Break();
    CHECK(viewer.Perform(Insertion(1, step)).data_version() == 2 * step);
    viewer.Settle();
    CHECK(viewer.mirror().data_version() == 2 * step);
  }
}

void TestKilledServer(Server& server) {
  v1::OpenSession opening = Opening(true);
  opening.set_collection(CreateCollection(server));
  Viewer viewer(Connect(server.address()), opening);
  for (std::uint32_t step = 1; step <= 3; ++step) {
    CHECK(viewer.Perform(Insertion(0, step)).data_version() == 2 * step - 1);
    viewer.Scroll({0, step * 500.0});
    viewer.Settle();
    const Point offset = viewer.offset();
    server.Kill();
    // Sent while there is no server; applied once when there is one.
    viewer.Send(Insertion(1, step));
    server.Start();
    while (viewer.mirror().data_version() < 2 * step) viewer.Next();
    viewer.Settle();
    CHECK(viewer.mirror().data_version() == 2 * step);
    CHECK(viewer.streams() == static_cast<int>(step) + 1 && viewer.offset().y >= offset.y - 1e-9);
    auto queries = v1::LayoutQueryService::NewStub(Connect(server.address()));
    Verify(*queries, viewer, 0.5 / 64 + 1e-9);
  }
}

// A message with one field of bytes.
std::string Field(int number, const std::string& bytes) {
  google::protobuf::UnknownFieldSet fields;
  fields.AddLengthDelimited(number, bytes);
  std::string message;
  fields.SerializeToString(&message);
  return message;
}

std::string Detail(const std::string& type, const std::string& message) {
  return Field(3, Field(1, "type.googleapis.com/" + type) + Field(2, message));
}

// Opens sessions and breaks them; with `refuses`, no session can be resumed.
class BreakingServer final : public v1::LayoutSessionService::Service {
 public:
  explicit BreakingServer(bool refuses) : refuses_(refuses) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    CHECK(server_ != nullptr);
  }
  ~BreakingServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  int streams() const { return streams_; }

  grpc::Status StreamLayout(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::StreamLayoutResponse, v1::StreamLayoutRequest>* stream) override {
    ++streams_;
    v1::StreamLayoutRequest request;
    stream->Read(&request);
    if (refuses_ && request.open().has_resume())
      return {grpc::StatusCode::NOT_FOUND, "the session is gone",
              Detail("google.rpc.ErrorInfo", Field(1, "SESSION_EXPIRED"))};
    v1::StreamLayoutResponse response;
    response.mutable_opened()->set_session("sessions/1");
    response.mutable_opened()->set_resume_token("token");
    stream->Write(response);
    response.mutable_frame()->set_frame_seq(1);
    stream->Write(response);
    return {grpc::StatusCode::UNAVAILABLE, "the stream breaks"};
  }

 private:
  const bool refuses_;
  int port_ = 0;
  std::atomic<int> streams_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

void TestServersThatBreakStreams() {
  for (bool refuses : {false, true}) {
    const BreakingServer server(refuses);
    v1::OpenSession opening = Opening(true);
    opening.set_collection("collections/a");
    Viewer viewer(Connect(server.address()), opening);
    // The waits are 0.1, 0.2, 0.4, 0.8 and 1.6 s, 20 % more or less.
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
    while (std::chrono::steady_clock::now() < until) viewer.Next();
    // A session that cannot be resumed is followed by another one at once.
    const int least = refuses ? 7 : 4, most = refuses ? 12 : 6;
    CHECK(server.streams() >= least && server.streams() <= most);
  }
}

using ServerStream = grpc::ServerReaderWriter<v1::StreamLayoutResponse, Request>;
// What a server does on one stream after it has read the opening.
using Script = std::function<grpc::Status(ServerStream& stream, const v1::OpenSession& opening)>;

// Plays one script for each stream.
class PlayedServer final : public v1::LayoutSessionService::Service {
 public:
  explicit PlayedServer(std::vector<Script> scripts) : scripts_(std::move(scripts)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    CHECK(server_ != nullptr);
  }
  ~PlayedServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  grpc::Status StreamLayout(grpc::ServerContext* context, ServerStream* stream) override {
    Request request;
    stream->Read(&request);
    const std::size_t number = played_++;
    if (number >= scripts_.size()) return {grpc::StatusCode::FAILED_PRECONDITION, "there is no other script"};
    context_ = context;
    return scripts_[number](*stream, request.open());
  }

  int port() const { return port_; }
  // How many streams the client has opened.
  std::size_t played() const { return played_; }
  // Whether the client has left the stream.
  bool is_left() const { return context_.load()->IsCancelled(); }

 private:
  std::vector<Script> scripts_;
  int port_ = 0;
  std::atomic<std::size_t> played_ = 0;
  std::atomic<grpc::ServerContext*> context_ = nullptr;
  std::unique_ptr<grpc::Server> server_;
};

const grpc::Status kBroken{grpc::StatusCode::UNAVAILABLE, "the stream breaks"};
const grpc::Status kRefused{grpc::StatusCode::UNAUTHENTICATED, "the token has ended"};

void SayOpened(ServerStream& stream, const std::string& session, std::uint64_t last_event = 0) {
  v1::StreamLayoutResponse response;
  response.mutable_opened()->set_session(session);
  response.mutable_opened()->set_resume_token("token");
  response.mutable_opened()->set_last_event_seq(last_event);
  stream.Write(response);
}

// A keyframe with an item "a" at a place.
void SayFrame(ServerStream& stream, std::uint64_t number, double y = 0) {
  v1::StreamLayoutResponse response;
  response.mutable_frame()->set_frame_seq(number);
  response.mutable_frame()->set_live_count(1);
  auto* element = response.mutable_frame()->mutable_elements()->add_upserts();
  element->set_item_key("a");
  element->mutable_key()->set_category(v1::ELEMENT_CATEGORY_CELL);
  element->mutable_key()->mutable_index_path()->set_item(0);
  auto* frame = element->mutable_attributes()->mutable_frame();
  frame->set_y(y);
  frame->set_width(100);
  frame->set_height(100);
  stream.Write(response);
}

void SayResult(ServerStream& stream, std::uint64_t event) {
  v1::StreamLayoutResponse response;
  response.mutable_event_result()->set_event_seq(event);
  stream.Write(response);
}

// The requests with an event up to one that is wanted, or to the end.
std::vector<Request> ReadUntil(ServerStream& stream, const std::function<bool(const Request&)>& is_wanted) {
  std::vector<Request> requests;
  Request request;
  while (stream.Read(&request)) {
    if (request.event_case() == Request::EVENT_NOT_SET) continue;
    requests.push_back(request);
    if (is_wanted(request)) break;
  }
  return requests;
}

grpc::Status Answer(ServerStream& stream) {
  Request request;
  while (stream.Read(&request) && !request.has_close())
    if (request.event_case() != Request::EVENT_NOT_SET && !request.has_viewport())
      SayResult(stream, request.event_seq());
  return grpc::Status::OK;
}

v1::OpenSession PlayedOpening() {
  v1::OpenSession opening = Opening(false);
  opening.set_collection("collections/a");
  return opening;
}

// Answers a sync after a frame that does not fit, and waits until that is rejected.
void SayWrongFrame(ServerStream& stream) {
  const auto sync = ReadUntil(stream, [](const Request& request) { return request.has_sync(); });
  v1::StreamLayoutResponse response;
  response.mutable_frame()->set_frame_seq(2);
  response.mutable_frame()->set_base_frame_seq(1);
  response.mutable_frame()->set_live_count(9);
  stream.Write(response);
  SayResult(stream, sync.back().event_seq());
  Request request;
  while (stream.Read(&request) && !request.ack().rejected()) {
  }
}

void TestSettlingAfterARefusedFrame() {
  PlayedServer server({[](ServerStream& stream, const auto&) {
    SayOpened(stream, "sessions/1");
    SayFrame(stream, 1);
    SayWrongFrame(stream);
    SayFrame(stream, 3, 50);
    return Answer(stream);
  }});
  Viewer viewer(Connect(server.address()), PlayedOpening());
  viewer.Settle();
  CHECK(viewer.mirror().frame_seq() == 3);
}

void SayResumed(ServerStream& stream) {
  v1::StreamLayoutResponse response;
  response.mutable_opened()->set_session("sessions/1");
  response.mutable_opened()->set_resume_token("token");
  response.mutable_opened()->set_outcome(v1::SessionOpened::OUTCOME_RESUMED);
  stream.Write(response);
}

// The stream that resumes may tell that the elements are the server's; the one that had the frame may not.
void TestSettlingWithASessionThatIsResumed() {
  PlayedServer server({
      [](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        SayFrame(stream, 1);
        SayWrongFrame(stream);
        SayResumed(stream);
        return kBroken;
      },
      [](ServerStream& stream, const auto&) {
        SayResumed(stream);
        return Answer(stream);
      },
  });
  Viewer viewer(Connect(server.address()), PlayedOpening());
  viewer.Settle();
  CHECK(server.played() == 2 && viewer.mirror().frame_seq() == 1);
}

void SayHeartbeat(
    ServerStream& stream, std::uint64_t frame, std::uint32_t count, std::optional<std::uint32_t> checksum) {
  v1::StreamLayoutResponse response;
  response.mutable_heartbeat()->set_last_frame_seq(frame);
  response.mutable_heartbeat()->set_live_count(count);
  if (checksum) response.mutable_heartbeat()->set_state_checksum(*checksum);
  stream.Write(response);
}

// The next acknowledgement.
v1::FrameAck ReadAck(ServerStream& stream) {
  Request request;
  while (stream.Read(&request) && !request.has_ack()) {
  }
  return request.ack();
}

// After a refused frame only a heartbeat that agrees in all tells that the elements are the server's.
void TestSettlingWithAHeartbeat() {
  std::atomic<bool> is_confirmed = false;
  PlayedServer server({[&](ServerStream& stream, const auto&) {
    SayOpened(stream, "sessions/1");
    SayFrame(stream, 1);
    const std::uint32_t checksum = ReadAck(stream).state_checksum();
    SayWrongFrame(stream);
    SayHeartbeat(stream, 1, 1, std::nullopt);
    SayHeartbeat(stream, 2, 1, checksum);
    SayHeartbeat(stream, 1, 2, checksum);
    SayHeartbeat(stream, 1, 1, checksum ^ 1);
    for (int count = 0; count < 4; ++count) ReadAck(stream);
    is_confirmed = true;
    SayHeartbeat(stream, 1, 1, checksum);
    return Answer(stream);
  }});
  Viewer viewer(Connect(server.address()), PlayedOpening());
  viewer.Settle();
  CHECK(is_confirmed);
}

// A frame without a checksum builds on elements that may not be those that it is for.
void TestSettlingWithAFrameThatProvesNothing() {
  PlayedServer server({[](ServerStream& stream, const auto&) {
    SayOpened(stream, "sessions/1");
    SayFrame(stream, 1);
    SayWrongFrame(stream);
    v1::StreamLayoutResponse response;
    response.mutable_frame()->set_frame_seq(3);
    response.mutable_frame()->set_base_frame_seq(1);
    response.mutable_frame()->set_live_count(1);
    stream.Write(response);
    SayFrame(stream, 4);
    return Answer(stream);
  }});
  Viewer viewer(Connect(server.address()), PlayedOpening());
  viewer.Settle();
  CHECK(viewer.mirror().frame_seq() == 4);
}

void TestZerosReplaceWhatWasNoted() {
  v1::OpenSession second;
  PlayedServer server({
      [](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        SayFrame(stream, 1);
        ReadUntil(stream, [](const Request& request) { return request.viewport().has_traits(); });
        return kBroken;
      },
      [&](ServerStream& stream, const v1::OpenSession& opening) {
        second = opening;
        SayOpened(stream, "sessions/1");
        return Answer(stream);
      },
  });
  Viewer viewer(Connect(server.address()), PlayedOpening());
  viewer.Scroll({3, 500});
  Request inset, none;
  inset.mutable_viewport()->mutable_content_insets()->set_top(20);
  viewer.Send(inset);
  viewer.Scroll({0, 0});
  CHECK(viewer.offset() == Point{});
  none.mutable_viewport()->mutable_content_insets();
  none.mutable_viewport()->mutable_traits();
  viewer.Send(none);
  while (viewer.streams() == 1) viewer.Next();
  CHECK(second.viewport().content_offset().y() == 0 && second.viewport().content_offset().x() == 0);
  CHECK(second.viewport().content_insets().top() == 0);
}

void TestOpeningsHaveTheNewestOffsets() {
  v1::ViewportChange viewport;
  const auto note = [&](std::uint32_t section) {
    v1::ViewportChange change;
    change.add_section_offsets()->set_section(section);
    Merge(change, viewport);
  };
  for (std::uint32_t section = 0; section < 5000; ++section) note(section);
  note(1000);
  // Servers accept no more.
  CHECK(viewport.section_offsets_size() == 4096);
  CHECK(viewport.section_offsets(0).section() == 904 && viewport.section_offsets(4095).section() == 1000);
}

void TestATokenThatEnds() {
  for (bool goes_away : {false, true}) {
    const Script opens = [=](ServerStream& stream, const auto&) {
      SayOpened(stream, "sessions/1");
      SayFrame(stream, 1);
      v1::StreamLayoutResponse notice;
      notice.mutable_notice()->set_type(v1::Notice::TYPE_GOING_AWAY);
      if (goes_away) stream.Write(notice);
      return kRefused;
    };
    PlayedServer server({opens, opens, opens});
    Viewer viewer(Connect(server.address()), PlayedOpening());
    for (int count = 0; count < 2; ++count) {
      try {
        while (true) viewer.Next();
      } catch (const LayoutError& error) {
        // Another token that is of no use is the last one; the viewer keeps saying so, and can be destroyed.
        CHECK(error.code() == grpc::UNAUTHENTICATED && server.played() == 2);
      }
    }
  }
}

// After a stream that has worked for a second, another token may help again, whatever ended that stream.
void TestATokenThatEndsLater() {
  PlayedServer server({
      [](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        SayFrame(stream, 1);
        return kRefused;
      },
      [](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        return kBroken;
      },
      [](ServerStream&, const auto&) { return kRefused; },
      [](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        return Answer(stream);
      },
  });
  Viewer viewer(Connect(server.address()), PlayedOpening());
  while (viewer.streams() < 3) viewer.Next();
  CHECK(server.played() == 4);
}

void TestALostSessionAfterAnOutage() {
  const Script breaks = [](ServerStream&, const auto&) { return kBroken; };
  const auto lost = [](ServerStream&, const auto&) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "the session is gone",
                        Detail("google.rpc.ErrorInfo", Field(1, "SESSION_EXPIRED")));
  };
  std::atomic<std::chrono::steady_clock::time_point> refused;
  std::chrono::duration<double> waited;
  PlayedServer server({
      [](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        SayFrame(stream, 1);
        return kBroken;
      },
      breaks, breaks, breaks,
      [&](ServerStream& stream, const v1::OpenSession& opening) {
        CHECK(opening.has_resume());
        refused = std::chrono::steady_clock::now();
        return lost(stream, opening);
      },
      [&](ServerStream& stream, const v1::OpenSession& opening) {
        CHECK(!opening.has_resume());
        waited = std::chrono::steady_clock::now() - refused.load();
        SayOpened(stream, "sessions/2");
        SayFrame(stream, 1);
        return Answer(stream);
      },
  });
  Viewer viewer(Connect(server.address()), PlayedOpening());
  viewer.Settle();
  // By now the backoff would be at least 1.2 s.
  CHECK(viewer.session() == "sessions/2" && waited < std::chrono::milliseconds(800));
}

// Passes one connection on to a server after a while, as a link does on which each packet takes long.
class SlowLink {
 public:
  explicit SlowLink(int target) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = Loopback(0);
    CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(listener_, 9) == 0);
    socklen_t size = sizeof address;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, target] { Serve(target); });
  }
  ~SlowLink() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  static sockaddr_in Loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

  void Serve(int target) {
    for (int near; (near = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; close(near)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(700));
      const int far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in address = Loopback(target);
      CHECK(connect(far, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
      Pass(near, far);
      close(far);
    }
  }

  // Until one of them ends.
  static void Pass(int near, int far) {
    pollfd both[] = {{near, POLLIN, 0}, {far, POLLIN, 0}};
    char bytes[4096];
    while (poll(both, 2, -1) > 0) {
      for (int from : {0, 1}) {
        if (both[from].revents == 0) continue;
        const ssize_t count = read(both[from].fd, bytes, sizeof bytes);
        if (count <= 0 || write(both[1 - from].fd, bytes, static_cast<std::size_t>(count)) != count) return;
      }
    }
  }

  const int listener_;
  int port_ = 0;
  std::thread thread_;
};

void TestASlowLink() {
  PlayedServer server({[](ServerStream& stream, const auto&) {
    SayOpened(stream, "sessions/1");
    SayFrame(stream, 1);
    return Answer(stream);
  }});
  SlowLink link(server.port());
  Viewer viewer(Connect(link.address()), PlayedOpening());
  CHECK(viewer.streams() == 1);
}

void TestAServerThatNamesTheTimeToWait() {
  google::protobuf::Duration delay;
  delay.set_nanos(600'000'000);
  const std::string details = Detail("google.rpc.ErrorInfo", Field(1, "QUOTA_SESSIONS")) +
                              Detail("google.rpc.RetryInfo", Field(1, delay.SerializeAsString()));
  const grpc::Status full{grpc::StatusCode::RESOURCE_EXHAUSTED, "too many", details};
  CHECK(LayoutError(full).reason() == "QUOTA_SESSIONS" && LayoutError(full).retry_delay() == 0.6);
  PlayedServer server({
      [=](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        SayFrame(stream, 1);
        return full;
      },
      [](ServerStream& stream, const auto&) {
        SayOpened(stream, "sessions/1");
        return Answer(stream);
      },
  });
  Viewer viewer(Connect(server.address()), PlayedOpening());
  const auto start = std::chrono::steady_clock::now();
  while (viewer.streams() == 1) viewer.Next();
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(500));
}

void TestAServerThatDoesNotEndItsStream() {
  PlayedServer* played = nullptr;
  PlayedServer server({[&](ServerStream& stream, const auto&) {
    SayOpened(stream, "sessions/1");
    SayFrame(stream, 1);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < until && !played->is_left())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return grpc::Status::OK;
  }});
  played = &server;
  const auto start = std::chrono::steady_clock::now();
  { Viewer viewer(Connect(server.address()), PlayedOpening()); }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(4));
}

// What a new session is told, after the old one was lost.
void TestANewSessionAfterALostOne() {
  v1::OpenSession second;
  std::vector<Request> repeated;
  PlayedServer server({
      [](ServerStream& stream, const v1::OpenSession& opening) {
        CHECK(opening.start().element().item_key() == "a");
        SayOpened(stream, "sessions/1");
        SayFrame(stream, 1, 450);
        // A scroll that changed nothing, a table and an outline.
        ReadUntil(stream, [](const Request& request) { return request.has_outline(); });
        v1::StreamLayoutResponse heartbeat, target;
        heartbeat.mutable_heartbeat()->set_applied_event_seq(2);
        stream.Write(heartbeat);
        target.mutable_scroll_target()->mutable_section_offset()->set_section(3);
        target.mutable_scroll_target()->mutable_section_offset()->set_offset(70);
        stream.Write(target);
        SayResult(stream, 3);
        SayResult(stream, 4);
        ReadUntil(stream, [](const Request& request) { return request.has_sync(); });
        return kBroken;
      },
      [&](ServerStream& stream, const v1::OpenSession& opening) {
        second = opening;
        SayOpened(stream, "sessions/2");
        SayFrame(stream, 1, 1450);
        repeated = ReadUntil(stream, [](const Request& request) { return request.has_viewport(); });
        for (const Request& request : repeated)
          if (!request.has_viewport()) SayResult(stream, request.event_seq());
        return Answer(stream);
      },
  });
  v1::OpenSession opening = PlayedOpening();
  opening.mutable_start()->mutable_element()->set_item_key("a");
  Viewer viewer(Connect(server.address()), opening);
  viewer.Scroll({0, 400});
  Request table, outline, toggle, again, measured, target, last;
  auto* column = table.mutable_table()->add_columns();
  column->set_id("year");
  column->set_width(80);
  viewer.Send(table);
  outline.mutable_outline()->add_expand("b");
  viewer.Perform(outline);
  toggle.mutable_outline()->add_toggled_slots(1);
  viewer.Send(toggle);
  again.mutable_outline()->add_collapse("b");
  viewer.Send(again);
  measured.mutable_measurements()->add_slots(1);
  viewer.Send(measured);
  target.mutable_scroll_target()->mutable_element()->set_item_key("a");
  viewer.Send(target);
  viewer.Settle();
  CHECK(!second.has_start());
  CHECK(second.table().columns_size() == 1 && second.table().columns(0).width() == 80);
  CHECK(second.expansions().expanded_size() == 1 && second.expansions().expanded(0) == "b");
  CHECK(second.viewport().section_offsets_size() == 1 && second.viewport().section_offsets(0).offset() == 70);
  // The item "a" is a thousand points lower.
  CHECK(viewer.offset().y == 1400);
  viewer.Settle();
  CHECK(repeated.size() == 4 && repeated[0].outline().collapse_size() == 1 && repeated[1].has_scroll_target());
  CHECK(repeated[2].has_sync() && repeated[3].viewport().content_offset().y() == 1400);
  CHECK(repeated[3].viewport().observed_frame_seq() == 1);
}

void TestAnAnswerWithATarget() {
  PlayedServer server({[](ServerStream& stream, const auto&) {
    SayOpened(stream, "sessions/1");
    SayFrame(stream, 1);
    const auto asked = ReadUntil(stream, [](const Request& request) { return request.has_scroll_target(); });
    v1::StreamLayoutResponse target;
    target.mutable_scroll_target()->set_event_seq(asked.back().event_seq());
    target.mutable_scroll_target()->mutable_content_offset()->set_y(9);
    stream.Write(target);
    SayResult(stream, asked.back().event_seq());
    return Answer(stream);
  }});
  Viewer viewer(Connect(server.address()), PlayedOpening());
  v1::ScrollTargetRequest request;
  request.mutable_element()->set_item_key("a");
  CHECK(viewer.FindScrollTarget(request).content_offset().y() == 9);
}

void TestAChangeOfColumns() {
  v1::TableChange table, change;
  for (const char* id : {"a", "b"}) {
    auto* column = table.add_columns();
    column->set_id(id);
    column->set_width(10);
  }
  change.add_columns()->set_id("a");
  change.mutable_order()->add_ids("b");
  Merge(change, table);
  CHECK(table.columns_size() == 1 && table.columns(0).id() == "b" && table.order().ids_size() == 1);
  change.Clear();
  change.set_reset(true);
  Merge(change, table);
  CHECK(table.columns_size() == 0 && !table.has_order() && !table.reset());
}

void TestExpansions() {
  v1::ExpansionState expansions;
  v1::OutlineChange change;
  change.add_expand("a");
  change.add_collapse("b");
  Merge(change, expansions);
  change.Clear();
  change.add_collapse("a");
  Merge(change, expansions);
  CHECK(expansions.expanded_size() == 0 && expansions.collapsed_size() == 2);
}

// Loses a session while a step of a transition has no answer, and keeps the layout that the next one is told.
class ForgetfulServer final : public v1::LayoutSessionService::Service {
 public:
  ForgetfulServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    CHECK(server_ != nullptr);
  }
  ~ForgetfulServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  bool is_told() const { return is_told_; }
  // Once it is told.
  const v1::LayoutSpec& layout() const { return layout_; }

  grpc::Status StreamLayout(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::StreamLayoutResponse, v1::StreamLayoutRequest>* stream) override {
    v1::StreamLayoutRequest request;
    stream->Read(&request);
    const bool is_first = !request.open().has_resume();
    CHECK(request.open().has_layout() == is_first);
    v1::StreamLayoutResponse opened, frame;
    opened.mutable_opened()->set_session(is_first ? "sessions/1" : "sessions/2");
    opened.mutable_opened()->set_resume_token("token");
    stream->Write(opened);
    frame.mutable_frame()->set_frame_seq(1);
    stream->Write(frame);
    while (stream->Read(&request)) {
      if (request.has_transition()) return {grpc::StatusCode::UNAVAILABLE, "the stream breaks"};
      if (!request.has_layout()) continue;
      layout_ = request.layout().layout();
      is_told_ = true;
      v1::StreamLayoutResponse answer;
      answer.mutable_event_result()->set_event_seq(request.event_seq());
      stream->Write(answer);
    }
    return grpc::Status::OK;
  }

 private:
  int port_ = 0;
  v1::LayoutSpec layout_;
  std::atomic<bool> is_told_ = false;
  std::unique_ptr<grpc::Server> server_;
};

void TestANewSessionIsToldItsLayout() {
  const ForgetfulServer server;
  v1::OpenSession opening = Opening(true);
  opening.set_collection("collections/a");
  opening.mutable_layout()->mutable_list()->set_row_height(7);
  Viewer viewer(Connect(server.address()), opening);
  v1::StreamLayoutRequest begin;
  begin.mutable_transition()->mutable_begin()->mutable_grid();
  viewer.Send(begin);
  while (!server.is_told()) viewer.Next();
  CHECK(server.layout().list().row_height() == 7);
}

void TestAbsurdDelays() {
  google::protobuf::Duration delay;
  CHECK(BoundedDelay(delay) == 0);
  delay.set_seconds(7);
  CHECK(BoundedDelay(delay) == 7);
  delay.set_seconds(std::int64_t{1} << 62);
  CHECK(BoundedDelay(delay) == 60);
  delay.set_seconds(-5);
  CHECK(BoundedDelay(delay) == 0);
}

}  // namespace

// Nobody listens at the first address.
void TestSeveralServers(const Server& server) {
  v1::OpenSession opening = Opening(true);
  opening.set_collection(CreateCollection(server));
  auto channel = Connect("ipv4:127.0.0.1:1," + server.address());
  Viewer viewer(channel, opening);
  viewer.Settle();
  auto queries = v1::LayoutQueryService::NewStub(channel);
  Verify(*queries, viewer, 0.5 / 64 + 1e-9);
}

int main() {
  signal(SIGPIPE, SIG_IGN);
  TestAbsurdDelays();
  TestServersThatBreakStreams();
  TestANewSessionIsToldItsLayout();
  TestSettlingAfterARefusedFrame();
  TestSettlingWithASessionThatIsResumed();
  TestSettlingWithAHeartbeat();
  TestSettlingWithAFrameThatProvesNothing();
  TestZerosReplaceWhatWasNoted();
  TestOpeningsHaveTheNewestOffsets();
  TestATokenThatEnds();
  TestATokenThatEndsLater();
  TestALostSessionAfterAnOutage();
  TestASlowLink();
  TestAServerThatNamesTheTimeToWait();
  TestAServerThatDoesNotEndItsStream();
  TestANewSessionAfterALostOne();
  TestAnAnswerWithATarget();
  TestAChangeOfColumns();
  TestExpansions();
  char folder[] = "/tmp/layout-cpp-XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  {
    Server server(std::string(folder) + "/store.sqlite");
    TestScrollingAndEdits(server);
    TestRefusals(server);
    TestSeveralServers(server);
    TestBrokenStreams(server);
    TestLostAnswers(server);
    TestKilledServer(server);
  }
  std::filesystem::remove_all(folder);
  std::cout << "C++ viewer: passed\n";
}
