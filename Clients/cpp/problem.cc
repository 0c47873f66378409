// SPDX-License-Identifier: Apache-2.0
#include "problem.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace collection_layout {
namespace {

using Fields = google::protobuf::UnknownFieldSet;
using Field = google::protobuf::UnknownField;

constexpr double kMostDelay = 60;

// A message is read without its generated type: that of google.rpc.Status and its details is in no package of
// Debian's. What is malformed has no fields.
void Read(const std::string& bytes, Fields& fields) {
  if (!fields.ParseFromString(bytes)) fields.Clear();
}

// The last value of a field of bytes in a message; empty = there is none.
std::string Bytes(const std::string& message, int number) {
  Fields fields;
  Read(message, fields);
  std::string value;
  for (int index = 0; index < fields.field_count(); ++index) {
    const Field& field = fields.field(index);
    if (field.number() == number && field.type() == Field::TYPE_LENGTH_DELIMITED) value = field.length_delimited();
  }
  return value;
}

struct Details {
  std::string reason;
  double retry_delay = 0;
};

// Takes one detail of a status: the type after the last slash of its address, and the message.
void Take(std::string_view type, const std::string& message, Details& details) {
  if (type == "google.rpc.ErrorInfo") details.reason = Bytes(message, 1);
  if (type != "google.rpc.RetryInfo") return;
  google::protobuf::Duration delay;
  if (delay.ParseFromString(Bytes(message, 1))) details.retry_delay = BoundedDelay(delay);
}

Details DetailsOf(const grpc::Status& status) {
  Details details;
  Fields fields;
  Read(status.error_details(), fields);
  for (int index = 0; index < fields.field_count(); ++index) {
    const Field& field = fields.field(index);
    if (field.number() != 3 || field.type() != Field::TYPE_LENGTH_DELIMITED) continue;
    const std::string& detail = field.length_delimited();
    const std::string type = Bytes(detail, 1);
    Take(std::string_view(type).substr(type.rfind('/') + 1), Bytes(detail, 2), details);
  }
  return details;
}

double RetryDelayOf(const v1::Problem& problem) {
  const auto found = problem.metadata().find("retryDelayMilliseconds");
  if (found == problem.metadata().end()) return 0;
  const double seconds = std::strtod(found->second.c_str(), nullptr) / 1000;
  return seconds > 0 ? std::min(seconds, kMostDelay) : 0;
}

}  // namespace

LayoutError::LayoutError(
    grpc::StatusCode code, std::string reason, const std::string& message, double retry_delay)
    : std::runtime_error(message), code_(code), reason_(std::move(reason)), retry_delay_(retry_delay) {}

LayoutError::LayoutError(const grpc::Status& status)
    : LayoutError(status.error_code(), "", status.error_message()) {
  Details details = DetailsOf(status);
  reason_ = std::move(details.reason);
  retry_delay_ = details.retry_delay;
}

LayoutError::LayoutError(const v1::Problem& problem)
    : LayoutError(static_cast<grpc::StatusCode>(problem.code()), problem.reason(), problem.message(),
                  RetryDelayOf(problem)) {}

double BoundedDelay(const google::protobuf::Duration& delay) {
  const double seconds = static_cast<double>(delay.seconds()) + delay.nanos() / 1e9;
  return std::clamp(seconds, 0.0, kMostDelay);
}

}  // namespace collection_layout
