// SPDX-License-Identifier: Apache-2.0
#include "importer/reading/detail/xml_reader.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <xercesc/framework/MemBufInputSource.hpp>
#include <xercesc/sax2/Attributes.hpp>
#include <xercesc/sax2/DefaultHandler.hpp>
#include <xercesc/sax2/SAX2XMLReader.hpp>
#include <xercesc/sax2/XMLReaderFactory.hpp>
#include <xercesc/util/OutOfMemoryException.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/XMLUni.hpp>
#include <xercesc/util/XercesVersion.hpp>

#include "amalthea/diagnostic.hpp"
#include "amalthea/primitives/itea.hpp"
#include "importer/reading/detail/foreign_content.hpp"
#include "importer/reading/detail/prefixed_name.hpp"
#include "importer/reading/detail/tag_scanner.hpp"
#include "importer/reading/model_reader.hpp"

namespace amalthea::importer {
namespace {

namespace xml = xercesc;

constexpr std::string_view xmi_namespace = "http://www.omg.org/XMI";
constexpr std::string_view xsi_namespace = "http://www.w3.org/2001/XMLSchema-instance";
constexpr std::string_view amalthea_namespace = "http://app4mc.eclipse.org/amalthea/";

/// Ends the parse within a callback; never leaves this file.
struct Stop {};

std::u16string_view view(const XMLCh* text) {
  return text == nullptr ? std::u16string_view{} : std::u16string_view{text};
}

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0U | (c >> 6U));
    byte(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    byte(0xE0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  } else {
    byte(0xF0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3FU));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  }
}

std::string to_utf8(std::u16string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    if (c >= 0xD800 && c < 0xDC00 && i + 1 < text.size())
      c = 0x10000 + ((c - 0xD800) << 10U) + (text[++i] - char32_t{0xDC00});
    append_utf8(out, c);
  }
  return out;
}

std::string_view utf8_scratch(std::u16string_view text, std::string& scratch) {
  scratch.clear();
  for (const char16_t c : text) {
    if (c >= 0x80) {
      scratch = to_utf8(text);
      break;
    }
    scratch += static_cast<char>(c);
  }
  return scratch;
}

/// Xerces must be initialized once per process before its first use. By default it terminates the process if memory
/// is lacking; here it throws std::bad_alloc.
void initialise_xerces() {
  struct Panic final : xml::PanicHandler {
    void panic(const PanicReasons) override { throw std::bad_alloc(); }
  };
  static Panic panic;
  static const bool usable = [] {
    try {
      xml::XMLPlatformUtils::Initialize(xml::XMLUni::fgXercescDefaultLocale, nullptr, &panic);
      return true;
    } catch (...) {
      return false;
    }
  }();
  if (!usable) throw std::bad_alloc();
}

/// The namespaces of prefixes. Xerces could provide them, at a fifth more time; models declare all prefixes on the root
/// element, so one lookup per name suffices.
class Namespaces {
 public:
  void declare(std::string prefix, std::string uri, std::uint32_t depth) {
    bound_.push_back({std::move(prefix), std::move(uri), depth});
  }
  /// Drops the declarations of an element at this depth.
  void leave(std::uint32_t depth) {
    while (!bound_.empty() && bound_.back().depth == depth) bound_.pop_back();
  }
  std::optional<std::string_view> uri_of(std::string_view prefix) const {
    for (auto binding = bound_.rbegin(); binding != bound_.rend(); ++binding)
      if (binding->prefix == prefix)
        return binding->uri.empty() && !prefix.empty() ? std::nullopt : std::optional<std::string_view>(binding->uri);
    if (prefix == "xml") return "http://www.w3.org/XML/1998/namespace";
    return prefix.empty() ? std::optional<std::string_view>("") : std::nullopt;
  }
  /// A prefix of the namespace; "" if there is none.
  std::string prefix_of(std::string_view uri) const {
    for (const Binding& binding : bound_)
      if (binding.uri == uri) return binding.prefix;
    return {};
  }

 private:
  struct Binding {
    std::string prefix, uri;
    std::uint32_t depth;
  };
  std::vector<Binding> bound_;
};

/// The prefix that `xmlns:am="…"` or `xmlns="…"` declares; nothing for any other attribute.
std::optional<std::string_view> declared_prefix(std::string_view attribute) {
  if (attribute == "xmlns") return "";
  return attribute.starts_with("xmlns:") ? std::optional(attribute.substr(6)) : std::nullopt;
}

/// Whether the text declares no encoding, or one in which markup has the bytes of ASCII, or is UTF-16.
bool has_usual_encoding(std::string_view text) {
  const std::string_view head = text.substr(0, text.find("?>"));
  std::size_t at =
      head.starts_with("\xEF\xBB\xBF<?xml") || head.starts_with("<?xml") ? head.find("encoding") : head.npos;
  at = head.find_first_of("\"'", at);
  if (at == head.npos) return true;
  std::string name(head.substr(at + 1, head.find_first_of("\"'", at + 1) - at - 1));
  for (char& c : name)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return name == "UTF-8" || name == "UTF-16" || name == "US-ASCII" || name.starts_with("ISO-8859-");
}

/// Builds a Document from SAX events and the tags that belong to them.
class DocumentBuilder : public xml::DefaultHandler {
 public:
  DocumentBuilder(Document& document, const Limits& limits, Diagnostics& diagnostics)
      : document_(document),
        scanner_(document.source()),
        limits_(limits),
        diagnostics_(diagnostics),
        bytes_are_characters_(has_usual_encoding(document.source().bytes())) {}

  void startElement(const XMLCh* /*uri*/, const XMLCh* /*local_name*/, const XMLCh* qname,
                    const xml::Attributes& attributes) override {
    const TagScanner::Tag tag = scanner_.next();
    const bool is_tag = tag.kind == TagScanner::Kind::start || tag.kind == TagScanner::Kind::self_closing;
    if (!is_tag || !is_named(tag.span, view(qname))) refuse_encoding();
    tag_begin_ = tag.span.begin;
    if (++depth_ > limits_.max_depth)
      stop("AM0105", tag_begin_,
           fmt::format("the element is nested {} levels deep, more than the limit of {} (--max-depth)", depth_,
                       limits_.max_depth));
    if (document_.size() >= limits_.max_elements)
      stop("AM0106", tag_begin_,
           fmt::format("this is element {} of the file, more than the limit of {} (--max-elements)",
                       document_.size() + 1, limits_.max_elements));
    if (attributes.getLength() > limits_.max_attributes_per_element)
      stop("AM0107", tag_begin_,
           fmt::format("the element has {} attributes, more than the limit of {} (--max-attributes)",
                       attributes.getLength(), limits_.max_attributes_per_element));
    read_declarations(attributes);
    const std::string_view name = utf8_scratch(view(qname), scratch_);
    if (depth_ == 1) read_root(name);
    document_.open_element(tag_name(name), tag_begin_);
    self_closing_ = tag.kind == TagScanner::Kind::self_closing;
    add_attributes(attributes);
  }

  void endElement(const XMLCh* /*uri*/, const XMLCh* /*local_name*/, const XMLCh* /*qname*/) override {
    if (self_closing_) {
      document_.close_element(0);
    } else {
      const TagScanner::Tag tag = scanner_.next();
      if (tag.kind != TagScanner::Kind::end) refuse_encoding();
      document_.close_element(tag.span.begin);
    }
    self_closing_ = false;
    namespaces_.leave(depth_);
    --depth_;
  }

  void fatalError(const xml::SAXParseException& exception) override { report(exception); }
  void error(const xml::SAXParseException& exception) override { report(exception); }

  /// In an encoding such as UTF-7, where only the parser can see it.
  void startDTD(const XMLCh*, const XMLCh*, const XMLCh*) override { refuse_encoding(); }

  /// Before the parser sees anything: the declaration would have to precede the first tag.
  void refuse_document_type() {
    const TagScanner::Tag tag = TagScanner(document_.source()).next();
    if (tag.kind == TagScanner::Kind::declaration)
      stop("AM0104", tag.span.begin, "a document type declaration (<!DOCTYPE …>) is not allowed in a model file");
  }

  bool root_seen() const { return document_.size() > 0; }

 private:
  [[noreturn]] void stop(std::string_view id, Location at, std::string message) {
    diagnostics_.add(id, Severity::error, std::move(message), std::move(at));
    throw Stop{};
  }
  [[noreturn]] void stop(std::string_view id, std::uint32_t at, std::string message) {
    stop(id, document_.source().location(at), std::move(message));
  }

  [[noreturn]] void not_well_formed(Location at, std::string_view what) {
    const bool at_once = at.line == 1 && at.column == 1;  // a text or a picture, for example
    stop("AM0103", std::move(at),
         fmt::format("not well-formed XML: {}{}", what, at_once ? "; expected an AMALTHEA model in XML" : ""));
  }

  [[noreturn]] void report(const xml::SAXParseException& exception) {
    // Xerces counts lines and columns of characters from 1, like Location.
    not_well_formed({document_.source().path(), static_cast<std::uint32_t>(exception.getLineNumber()),
                     static_cast<std::uint32_t>(exception.getColumnNumber())},
                    to_utf8(view(exception.getMessage())));
  }

  /// The scanner searches ASCII characters in the bytes. In UTF-32, EBCDIC or ISO-2022 bytes have other meanings, so
  /// parser and scanner see different tags.
  [[noreturn]] void refuse_encoding() {
    stop("AM0118", 0, "the file's encoding is not supported; expected UTF-8, UTF-16 or ISO-8859");
  }

  bool is_named(Span tag, std::u16string_view qname) const {
    const SourceText& source = document_.source();
    const std::uint32_t unit = source.unit();
    if (tag.begin + unit * (qname.size() + 2) > source.bytes().size()) return false;
    for (std::size_t i = 0; i < qname.size() && qname[i] < 0x80; ++i)
      if (source.ascii_at(tag.begin + unit * static_cast<std::uint32_t>(i + 1)) != static_cast<char>(qname[i]))
        return false;
    return true;
  }

  /// XML alone lets a name have any colons; with namespaces, one may stand between a prefix and a name.
  PrefixedName split(std::string_view written) {
    const PrefixedName name = split_name(written);
    const bool has_colon = name.local.size() < written.size();
    if (name.local.empty() || (has_colon && name.prefix.empty()) || name.local.find(':') != std::string_view::npos)
      not_well_formed(document_.source().location(tag_begin_),
                      fmt::format("the name {} has a colon that is not between a prefix and a name", written));
    return name;
  }

  void read_declarations(const xml::Attributes& attributes) {
    for (XMLSize_t i = 0; i < attributes.getLength(); ++i) {
      const std::u16string_view qname = view(attributes.getQName(i));
      if (!qname.starts_with(u"xmlns")) continue;
      const std::string name = to_utf8(qname);
      split(name);
      const auto prefix = declared_prefix(name);
      if (!prefix) continue;
      namespaces_.declare(std::string(*prefix), to_utf8(view(attributes.getValue(i))), depth_);
      // From here on the same written name may have two meanings.
      if (depth_ > 1) names_are_unique_ = false;
    }
  }

  /// The namespace of a prefixed name; the prefix must be declared.
  std::string_view namespace_of(PrefixedName name) {
    const auto uri = namespaces_.uri_of(name.prefix);
    if (!uri)
      not_well_formed(document_.source().location(tag_begin_),
                      fmt::format("the namespace prefix of {}:{} is not declared", name.prefix, name.local));
    return *uri;
  }

  void read_root(std::string_view written) {
    const PrefixedName name = split(written);
    const std::string_view space = namespace_of(name);
    const auto set_header = [&](Version version, IteaRelease itea) {
      document_.set_header(version, itea, std::string(name.prefix), namespaces_.prefix_of(xsi_namespace));
    };
    if (const IteaRelease itea = itea_release(space); itea != IteaRelease::none)
      return set_header(oldest_version, itea);
    if (!space.starts_with(amalthea_namespace))
      stop("AM0110", tag_begin_,
           fmt::format("not an AMALTHEA model: the root element is <{}> in namespace \"{}\"; expected <am:Amalthea "
                       "xmlns:am=\"{}VERSION\">{}",
                       name.local, space, amalthea_namespace, foreign_root(name.local)));
    const std::string_view version_text = space.substr(amalthea_namespace.size());
    const auto version = parse_version(version_text);
    if (!version)
      stop(
          "AM0111", tag_begin_,
          fmt::format("unknown AMALTHEA version \"{}\"; supported versions are {} to {}; save the model in one of them",
                      version_text, to_string(oldest_version), to_string(newest_version)));
    set_header(*version, IteaRelease::none);
  }

  /// The stored form of a name. In an ITEA model that is the name of 0.7.0.
  NameId intern(std::string_view name) {
    return document_.intern(document_.itea() == IteaRelease::none ? name : itea_feature(name));
  }

  NameId tag_name(std::string_view written) {
    return known_name(written, tags_, [this](std::string_view qname) {
      const PrefixedName name = split(qname);
      if (!name.prefix.empty() && namespace_of(name) == xmi_namespace)
        return document_.intern("xmi:" + std::string(name.local));
      return intern(name.local);
    });
  }

  NameId attribute_name(std::string_view written) {
    return known_name(written, attribute_names_, [this](std::string_view qname) {
      const PrefixedName name = split(qname);
      if (name.prefix.empty()) return intern(name.local);
      const std::string_view space = namespace_of(name);
      if (space == xsi_namespace) return document_.intern(fmt::format("xsi:{}", name.local));
      if (space == xmi_namespace) return document_.intern(fmt::format("xmi:{}", name.local));
      if (name.prefix == "xml") return document_.intern(qname);
      if (space.starts_with(amalthea_namespace)) return intern(name.local);
      // Prefixes may be redeclared anywhere; only the namespace counts.
      return document_.intern(fmt::format("{{{}}}{}", space, name.local));
    });
  }

  /// Written and stored names, for the few dozen names of a model, with a cheap hash. A slot holds the last name with
  /// its hash.
  struct KnownName {
    std::string written;
    NameId id{};
    bool is_set = false;
  };
  using NameTable = std::array<KnownName, 256>;
  template <typename MakeName>
  NameId known_name(std::string_view written, NameTable& table, MakeName make_name) {
    const auto byte = [](char c) { return static_cast<std::size_t>(static_cast<unsigned char>(c)); };
    const std::size_t slot =
        written.empty() ? 0 : written.size() * 31 + byte(written.front()) * 7 + byte(written.back());
    KnownName& known = table[slot & 255U];
    if (!known.is_set || !names_are_unique_ || known.written != written)
      known = {std::string(written), make_name(written), true};
    return known.id;
  }

  void add_attributes(const xml::Attributes& attributes) {
    const SourceText& source = document_.source();
    const auto& written = scanner_.attributes();
    if (source.unit() == 1 && written.size() != attributes.getLength()) refuse_encoding();
    for (XMLSize_t i = 0; i < attributes.getLength(); ++i) {
      if (source.unit() != 1) {  // no values as written
        const std::string name = to_utf8(view(attributes.getQName(i)));
        if (!declared_prefix(name))
          document_.add_decoded_attribute(attribute_name(name), tag_begin_, to_utf8(view(attributes.getValue(i))));
        continue;
      }
      const std::string_view name = utf8_name(source.text(written[i].name), view(attributes.getQName(i)));
      if (declared_prefix(name)) continue;
      const NameId id = attribute_name(name);
      if (written[i].plain && bytes_are_characters_)
        document_.add_attribute(id, written[i].value.begin);
      else
        add_value(id, written[i].value, view(attributes.getValue(i)));
    }
  }

  /// The name as it is written, if it is ASCII. In an encoding such as UTF-7, bytes of ASCII may be other characters.
  std::string_view utf8_name(std::string_view written, std::u16string_view name) {
    const bool ascii =
        bytes_are_characters_ && std::none_of(written.begin(), written.end(), [](char c) { return (c & '\x80') != 0; });
    return ascii ? written : utf8_scratch(name, scratch_);
  }

  /// A value that the parser may have changed (references, white space), or that is not ASCII.
  void add_value(NameId name, Span written, std::u16string_view value) {
    std::string decoded = to_utf8(value);
    if (document_.source().text(written) == decoded)
      document_.add_attribute(name, written.begin);
    else
      document_.add_decoded_attribute(name, written.begin, std::move(decoded));
  }

  Document& document_;
  TagScanner scanner_;
  const Limits& limits_;
  Diagnostics& diagnostics_;
  bool bytes_are_characters_;  ///< those of ASCII
  Namespaces namespaces_;
  bool names_are_unique_ = true;
  NameTable tags_, attribute_names_;
  std::string scratch_;
  std::uint32_t depth_ = 0;
  std::uint32_t tag_begin_ = 0;
  bool self_closing_ = false;
};

/// The number of '<' and '='.
std::pair<std::size_t, std::size_t> count_marks(std::string_view text) {
  std::size_t brackets = 0, equals = 0;
  while (!text.empty()) {
    // Byte-sized counters, over few enough characters to avoid overflow, let compilers generate fast code.
    const std::string_view part = text.substr(0, 255);
    std::uint8_t part_brackets = 0, part_equals = 0;
    for (const char c : part) {
      part_brackets = static_cast<std::uint8_t>(part_brackets + (c == '<' ? 1U : 0U));
      part_equals = static_cast<std::uint8_t>(part_equals + (c == '=' ? 1U : 0U));
    }
    brackets += part_brackets;
    equals += part_equals;
    text.remove_prefix(part.size());
  }
  return {brackets, equals};
}

/// Reserves memory for all elements and attributes at once: reallocation would need twice the memory. The number of
/// their first characters is an upper bound, except in unusual encodings, where it does not matter.
void reserve_room(Document& document, const Limits& limits) {
  const std::string_view text = document.source().bytes();
  const auto [brackets, equals] = count_marks(text);
  constexpr std::size_t shortest_attribute = 5;  // ` a=""`
  document.reserve(std::min<std::uint64_t>(brackets, limits.max_elements),
                   std::min(equals, text.size() / shortest_attribute));
}

}  // namespace

std::unique_ptr<Document> read_xml(std::string path, std::string bytes, const Limits& limits,
                                   Diagnostics& diagnostics) {
  if (bytes.size() > std::min<std::uint64_t>(limits.max_file_size, 0xFFFFFFF0U)) {
    diagnostics.add("AM0102", Severity::error,
                    fmt::format("the file has {} bytes, more than the limit of {} (--max-size)", bytes.size(),
                                limits.max_file_size),
                    {path});
    return nullptr;
  }
  auto document = std::make_unique<Document>(std::move(path), std::move(bytes));
  const auto out_of_memory = [&] {
    diagnostics.add("AM0108", Severity::error, "out of memory while reading", {document->source().path()});
  };
  try {
    initialise_xerces();
    const std::unique_ptr<xml::SAX2XMLReader> reader(xml::XMLReaderFactory::createXMLReader());
    // Checks that the text is well-formed, and no grammar: models have none. This is the fastest of Xerces' scanners. It
    // skips document type declarations silently, so they must be visible before it decodes them.
    if (has_usual_encoding(document->source().bytes()))
      reader->setProperty(xml::XMLUni::fgXercesScannerName, const_cast<XMLCh*>(xml::XMLUni::fgWFXMLScanner));
    reader->setFeature(xml::XMLUni::fgSAX2CoreNameSpaces, false);
    reader->setFeature(xml::XMLUni::fgSAX2CoreNameSpacePrefixes, true);
    reader->setFeature(xml::XMLUni::fgSAX2CoreValidation, false);
    reader->setFeature(xml::XMLUni::fgXercesSchema, false);
    reader->setFeature(xml::XMLUni::fgXercesLoadExternalDTD, false);
    reader->setFeature(xml::XMLUni::fgXercesDisableDefaultEntityResolution, true);
    reserve_room(*document, limits);
    DocumentBuilder builder(*document, limits, diagnostics);
    reader->setContentHandler(&builder);
    reader->setErrorHandler(&builder);
    reader->setLexicalHandler(&builder);
    builder.refuse_document_type();
    const std::string_view text = document->source().bytes();
    xml::MemBufInputSource source(reinterpret_cast<const XMLByte*>(text.data()), text.size(), "model", false);
    source.setCopyBufToStream(false);
    reader->parse(source);
    if (builder.root_seen()) return document;
    diagnostics.add("AM0117", Severity::error, "the document has no element; expected an AMALTHEA model",
                    {document->source().path()});
  } catch (const Stop&) {
    // Already reported where it was thrown.
  } catch (const xml::OutOfMemoryException&) {
    out_of_memory();
  } catch (const std::bad_alloc&) {
    out_of_memory();
  } catch (const xml::XMLException& exception) {
    diagnostics.add("AM0109", Severity::error,
                    fmt::format("the XML parser failed: {}", to_utf8(view(exception.getMessage()))),
                    {document->source().path()});
  }
  return nullptr;
}

std::string xml_parser_version() {
  return fmt::format("{}.{}.{}", XERCES_VERSION_MAJOR, XERCES_VERSION_MINOR, XERCES_VERSION_REVISION);
}

}  // namespace amalthea::importer
