#include "crypt/rnp.h"

#include <fcntl.h>
#include <unistd.h>

#include <type_traits>

#include "sys/dynlib.h"

namespace pintle::crypt {
namespace {

Result<Rnp> load() {
  auto opened = sys::DynLib::open({"librnp.so.0", "librnp.so"});
  if (!opened) return Error::wrap("opening the OpenPGP library", std::move(opened).error());
  Rnp rnp{};
  const char* missing = nullptr;
  auto bind = [&](auto*& to, const char* name) {
    to = opened->function<std::remove_pointer_t<std::remove_reference_t<decltype(to)>>>(name);
    if (to == nullptr) missing = name;
  };
  bind(rnp.ffi_create, "rnp_ffi_create");
  bind(rnp.ffi_destroy, "rnp_ffi_destroy");
  bind(rnp.buffer_destroy, "rnp_buffer_destroy");
  bind(rnp.import_keys, "rnp_import_keys");
  bind(rnp.locate_key, "rnp_locate_key");
  bind(rnp.key_handle_destroy, "rnp_key_handle_destroy");
  bind(rnp.iterator_create, "rnp_identifier_iterator_create");
  bind(rnp.iterator_next, "rnp_identifier_iterator_next");
  bind(rnp.iterator_destroy, "rnp_identifier_iterator_destroy");
  bind(rnp.key_is_primary, "rnp_key_is_primary");
  bind(rnp.key_get_fprint, "rnp_key_get_fprint");
  bind(rnp.key_get_primary_fprint, "rnp_key_get_primary_fprint");
  bind(rnp.key_get_uid_count, "rnp_key_get_uid_count");
  bind(rnp.key_get_uid_at, "rnp_key_get_uid_at");
  bind(rnp.key_have_secret, "rnp_key_have_secret");
  bind(rnp.key_is_protected, "rnp_key_is_protected");
  bind(rnp.key_unlock, "rnp_key_unlock");
  bind(rnp.key_lock, "rnp_key_lock");
  bind(rnp.input_from_memory, "rnp_input_from_memory");
  bind(rnp.input_destroy, "rnp_input_destroy");
  bind(rnp.output_to_memory, "rnp_output_to_memory");
  bind(rnp.output_memory_get_buf, "rnp_output_memory_get_buf");
  bind(rnp.output_destroy, "rnp_output_destroy");
  bind(rnp.sign_cleartext_create, "rnp_op_sign_cleartext_create");
  bind(rnp.sign_add_signature, "rnp_op_sign_add_signature");
  bind(rnp.sign_set_hash, "rnp_op_sign_set_hash");
  bind(rnp.sign_execute, "rnp_op_sign_execute");
  bind(rnp.sign_destroy, "rnp_op_sign_destroy");
  bind(rnp.verify_detached_create, "rnp_op_verify_detached_create");
  bind(rnp.verify_execute, "rnp_op_verify_execute");
  bind(rnp.verify_get_signature_count, "rnp_op_verify_get_signature_count");
  bind(rnp.verify_get_signature_at, "rnp_op_verify_get_signature_at");
  bind(rnp.verify_signature_get_status, "rnp_op_verify_signature_get_status");
  bind(rnp.verify_signature_get_key, "rnp_op_verify_signature_get_key");
  bind(rnp.verify_destroy, "rnp_op_verify_destroy");
  bind(rnp.result_to_string, "rnp_result_to_string");
  if (missing != nullptr) {
    return Error("opening the OpenPGP library: it has no " + std::string(missing),
                 pintle::Code::kUnavailable);
  }
  return rnp;
}

}  // namespace

Result<const Rnp*> Rnp::open() {
  static const Result<Rnp> rnp = load();
  if (!rnp) return rnp.error();
  return &*rnp;
}

QuietStderr::QuietStderr() {
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return;
  saved_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (saved_ >= 0) ::dup2(null, STDERR_FILENO);
  ::close(null);
}

QuietStderr::~QuietStderr() {
  if (saved_ < 0) return;
  ::dup2(saved_, STDERR_FILENO);
  ::close(saved_);
}

}  // namespace pintle::crypt
