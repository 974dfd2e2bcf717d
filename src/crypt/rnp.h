// The functions of librnp (0.16 and later) that this room calls, looked up at first use. Inside
// this room only. Names and shapes: rnp/rnp.h; declared here because the library is never linked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace pintle::crypt {

struct Rnp {
  using Handle = void*;
  using Code = uint32_t;
  static constexpr Code kSuccess = 0;
  static constexpr Code kSignatureInvalid = 0x12000002;
  static constexpr Code kKeyNotFound = 0x12000005;
  static constexpr Code kSignatureExpired = 0x1200000b;
  static constexpr uint32_t kPublicKeys = 1 << 0, kSecretKeys = 1 << 1, kPermissive = 1 << 8;

  Code (*ffi_create)(Handle*, const char* public_format, const char* secret_format);
  Code (*ffi_destroy)(Handle);
  void (*buffer_destroy)(void*);
  Code (*import_keys)(Handle, Handle input, uint32_t flags, char** results);
  Code (*locate_key)(Handle, const char* kind, const char* id, Handle* key);
  Code (*key_handle_destroy)(Handle);
  Code (*iterator_create)(Handle, Handle* it, const char* kind);
  Code (*iterator_next)(Handle it, const char** id);
  Code (*iterator_destroy)(Handle);
  Code (*key_is_primary)(Handle, bool*);
  Code (*key_get_fprint)(Handle, char**);
  Code (*key_get_primary_fprint)(Handle, char**);
  Code (*key_get_uid_count)(Handle, size_t*);
  Code (*key_get_uid_at)(Handle, size_t, char**);
  Code (*key_have_secret)(Handle, bool*);
  Code (*key_is_protected)(Handle, bool*);
  Code (*key_unlock)(Handle, const char* password);
  Code (*key_lock)(Handle);
  Code (*input_from_memory)(Handle*, const uint8_t*, size_t, bool copy);
  Code (*input_destroy)(Handle);
  Code (*output_to_memory)(Handle*, size_t max);
  Code (*output_memory_get_buf)(Handle, uint8_t**, size_t*, bool copy);
  Code (*output_destroy)(Handle);
  Code (*sign_cleartext_create)(Handle* op, Handle ffi, Handle input, Handle output);
  Code (*sign_add_signature)(Handle op, Handle key, Handle* sig);
  Code (*sign_set_hash)(Handle op, const char*);
  Code (*sign_execute)(Handle op);
  Code (*sign_destroy)(Handle op);
  Code (*verify_detached_create)(Handle* op, Handle ffi, Handle input, Handle signature);
  Code (*verify_execute)(Handle op);
  Code (*verify_get_signature_count)(Handle op, size_t*);
  Code (*verify_get_signature_at)(Handle op, size_t, Handle* sig);
  Code (*verify_signature_get_status)(Handle sig);
  Code (*verify_signature_get_key)(Handle sig, Handle* key);
  Code (*verify_destroy)(Handle op);
  const char* (*result_to_string)(Code);

  // The library, opened once for the process. Error: what the loader said.
  static Result<const Rnp*> open();
};

// Points standard error at /dev/null while it lives: librnp tells it about every key and signature
// it dislikes, and can be asked not to only in builds that distributions do not make. Affects the
// whole process, so hold it around calls into the library and nothing else.
class QuietStderr {
 public:
  QuietStderr();
  ~QuietStderr();
  QuietStderr(const QuietStderr&) = delete;

 private:
  int saved_ = -1;
};

}  // namespace pintle::crypt
