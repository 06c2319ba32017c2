#include "importer/xml_reader.hpp"

#include <algorithm>
#include <array>
#include <mutex>
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

namespace amalthea::importer {
namespace {

namespace xml = xercesc;

constexpr std::u16string_view xmi_namespace = u"http://www.omg.org/XMI";
constexpr std::u16string_view xsi_namespace = u"http://www.w3.org/2001/XMLSchema-instance";
constexpr std::string_view amalthea_namespace = "http://app4mc.eclipse.org/amalthea/";
constexpr std::string_view itea_namespace = "amalthea.itea2.org/model/";

/// Ends the parse from inside a callback; never leaves this file.
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

/// Xerces must be initialised once per process before its first use.
void initialise_xerces() {
  static std::once_flag once;
  std::call_once(once, [] { xml::XMLPlatformUtils::Initialize(); });
}

/// Builds a Document from SAX events and the byte offsets Xerces reports.
///
/// With the source offset feature on, the offset at an event is one past the tag's '>'; the tag's beginning is the
/// '<' before it. Markup between two events (comments, text) may hold '<' only inside comments, CDATA or
/// processing instructions, all of which end before the tag begins, so searching backwards from '>' past quoted
/// attribute values ('<' is not allowed there) finds the tag's own '<'.
class Builder : public xml::DefaultHandler {
 public:
  Builder(Document& document, xml::SAX2XMLReader& reader, const Limits& limits, Diagnostics& diagnostics)
      : document_(document), reader_(reader), limits_(limits), diagnostics_(diagnostics) {}

  void startElement(const XMLCh* uri, const XMLCh* local_name, const XMLCh* qname,
                    const xml::Attributes& attributes) override {
    const Span tag = tag_before_event();
    if (depth_ == 0) {
      if (!stands_at(tag, view(qname)))
        stop("AM0118", 0, "the file's encoding is not supported; expected UTF-8, UTF-16 or ISO-8859");
      read_root(view(uri), view(local_name), tag);
    }
    if (++depth_ > limits_.max_depth)
      stop("AM0105", tag.begin,
           fmt::format("elements are nested deeper than {} levels (--max-depth)", limits_.max_depth));
    if (document_.size() >= limits_.max_elements)
      stop("AM0106", tag.begin, fmt::format("more than {} elements (--max-elements)", limits_.max_elements));
    if (attributes.getLength() > limits_.max_attributes_per_element)
      stop("AM0107", tag.begin,
           fmt::format("more than {} attributes on one element", limits_.max_attributes_per_element));
    document_.open_element(document_.intern(utf8_scratch(view(local_name), scratch_)), tag.begin, tag.end);
    add_attributes(attributes, tag);
  }

  void endElement(const XMLCh* /*uri*/, const XMLCh* /*local_name*/, const XMLCh* /*qname*/) override {
    const Span tag = tag_before_event();
    const bool self_closing = tag.end == last_open_end_ && tag.begin == last_open_begin_;
    document_.close_element(self_closing ? tag.end : tag.begin, tag.end);
    last_open_end_ = 0;
    --depth_;
  }

  void startDTD(const XMLCh*, const XMLCh*, const XMLCh*) override {
    refuse_document_type(document_type_before(offset()).value_or(offset()));
  }

  void fatalError(const xml::SAXParseException& exception) override { report(exception); }
  void error(const xml::SAXParseException& exception) override { report(exception); }

  bool root_seen() const { return document_.size() > 0; }

 private:
  [[noreturn]] void stop(std::string_view id, std::uint32_t at, std::string message) {
    diagnostics_.add(id, Severity::error, std::move(message), document_.source().location(at));
    throw Stop{};
  }

  [[noreturn]] void report(const xml::SAXParseException& exception) {
    // Xerces counts lines and columns of characters from 1, as we do.
    Location at{document_.source().path(), static_cast<std::uint32_t>(exception.getLineNumber()),
                static_cast<std::uint32_t>(exception.getColumnNumber())};
    diagnostics_.add("AM0103", Severity::error,
                     fmt::format("not well-formed XML: {}", to_utf8(view(exception.getMessage()))), std::move(at));
    throw Stop{};
  }

  std::uint32_t offset() const {
    // The byte-order mark is not counted by Xerces.
    return static_cast<std::uint32_t>(reader_.getSrcOffset()) + document_.source().bom_size();
  }

  [[noreturn]] void refuse_document_type(std::uint32_t at) {
    stop("AM0104", at, "a document type declaration (<!DOCTYPE …>) is not allowed in a model file");
  }

  /// Where a document type declaration begins in the prolog that ends at `end`. Xerces does not tell of one that
  /// declares nothing. Only comments and processing instructions may stand beside it.
  std::optional<std::uint32_t> document_type_before(std::uint32_t end) const {
    const SourceText& source = document_.source();
    const std::uint32_t unit = source.unit();
    const auto starts_with = [&](std::uint32_t at, std::string_view text) {
      for (const char c : text) {
        if (at + unit > end || source.ascii_at(at) != c) return false;
        at += unit;
      }
      return true;
    };
    const auto after = [&](std::uint32_t at, std::string_view text) {
      while (at < end && !starts_with(at, text)) at += unit;
      return at;
    };
    for (std::uint32_t at = source.bom_size(); at < end; at += unit) {
      if (starts_with(at, "<!--"))
        at = after(at + 4 * unit, "-->");
      else if (starts_with(at, "<?"))
        at = after(at + 2 * unit, "?>");
      else if (starts_with(at, "<!DOCTYPE"))
        return at;
    }
    return std::nullopt;
  }

  Span tag_before_event() {
    const SourceText& source = document_.source();
    const std::uint32_t end = offset(), unit = source.unit();
    if (unit == 1) {
      const auto found = source.bytes().rfind('<', end == 0 ? 0 : end - 1);
      return {found == std::string_view::npos ? 0 : static_cast<std::uint32_t>(found), end};
    }
    std::uint32_t begin = end >= unit ? end - unit : 0;
    while (begin >= unit && source.ascii_at(begin) != '<') begin -= unit;
    return {begin, end};
  }

  /// Places are found by looking for ASCII characters in the bytes; in UTF-32 or EBCDIC they are not where they seem.
  bool stands_at(Span tag, std::u16string_view qname) const {
    const SourceText& source = document_.source();
    if (tag.begin + source.unit() * (qname.size() + 2) > source.bytes().size() || source.ascii_at(tag.begin) != '<')
      return false;
    for (std::size_t i = 0; i < qname.size(); ++i)
      if (qname[i] < 0x80 &&
          source.ascii_at(tag.begin + source.unit() * static_cast<std::uint32_t>(i + 1)) != static_cast<char>(qname[i]))
        return false;
    return source.ascii_at(tag.end - source.unit()) == '>';
  }

  void read_root(std::u16string_view uri, std::u16string_view local_name, Span tag) {
    if (const auto declaration = document_type_before(tag.begin)) refuse_document_type(*declaration);
    const std::string space = to_utf8(uri);
    if (space.find(itea_namespace) != std::string::npos)
      stop("AM0112", tag.begin,
           fmt::format("the namespace {} is that of an AMALTHEA model older than 0.7.0, which is not read; convert it "
                       "with APP4MC to {} … {}",
                       space, to_string(oldest_version), to_string(newest_version)));
    if (!std::string_view(space).starts_with(amalthea_namespace))
      stop("AM0110", tag.begin,
           fmt::format("not an AMALTHEA model: the root element is <{}> in namespace \"{}\"; expected <am:Amalthea "
                       "xmlns:am=\"{}VERSION\">",
                       to_utf8(local_name), space, amalthea_namespace));
    const std::string_view version_text = std::string_view(space).substr(amalthea_namespace.size());
    const auto version = parse_version(version_text);
    if (!version)
      stop("AM0111", tag.begin,
           fmt::format("unknown AMALTHEA version \"{}\"; versions {} to {} are read", version_text,
                       to_string(oldest_version), to_string(newest_version)));
    document_.set_header(*version, prefix_of(uri), prefix_of(xsi_namespace));
  }

  std::string prefix_of(std::u16string_view uri) const {
    for (const auto& [prefix, bound] : prefixes_)
      if (bound == uri) return to_utf8(prefix);
    return {};
  }

  void startPrefixMapping(const XMLCh* prefix, const XMLCh* uri) override {
    // Declarations on the root element tell which prefixes an annotation may use; deeper ones only matter to Xerces.
    if (depth_ == 0) prefixes_.emplace_back(view(prefix), view(uri));
  }

  std::string_view attribute_name(const xml::Attributes& attributes, XMLSize_t i) {
    const std::u16string_view uri = view(attributes.getURI(i));
    const std::string_view local = utf8_scratch(view(attributes.getLocalName(i)), scratch_);
    if (uri.empty()) return local;
    if (uri == xsi_namespace) return scratch_ = "xsi:" + std::string(local);
    if (uri == xmi_namespace) return scratch_ = "xmi:" + std::string(local);
    return scratch_ = to_utf8(view(attributes.getQName(i)));
  }

  void add_attributes(const xml::Attributes& attributes, Span tag) {
    last_open_begin_ = tag.begin;
    last_open_end_ = tag.end;
    find_attribute_values(tag);
    for (XMLSize_t i = 0; i < attributes.getLength(); ++i) {
      const NameId name = document_.intern(attribute_name(attributes, i));
      const std::u16string_view value = view(attributes.getValue(i));
      const Span written = written_value(view(attributes.getQName(i)));
      if (written.size() != 0 ? equals_source(value, written) : value.empty()) {
        document_.add_attribute(name, written);
      } else {
        document_.add_decoded_attribute(name, written, to_utf8(value));
      }
    }
  }

  /// Scans the raw start tag (known to be well-formed) for its `name="value"` pairs.
  void find_attribute_values(Span tag) {
    written_.clear();
    if (document_.source().encoding() != Encoding::ascii_superset) return;
    const std::string_view text = document_.source().text(tag);
    std::size_t at = text.find_first_of(" \t\r\n/>", 1);
    while (at < text.size()) {
      at = text.find_first_not_of(" \t\r\n", at);
      if (at == std::string_view::npos || text[at] == '/' || text[at] == '>') return;
      const std::size_t name_end = text.find_first_of(" \t\r\n=", at);
      const std::size_t quote = text.find_first_of("\"'", name_end);
      if (name_end == std::string_view::npos || quote == std::string_view::npos) return;
      const std::size_t value_end = text.find(text[quote], quote + 1);
      if (value_end == std::string_view::npos) return;
      written_.push_back(
          {text.substr(at, name_end - at),
           {tag.begin + static_cast<std::uint32_t>(quote) + 1, tag.begin + static_cast<std::uint32_t>(value_end)}});
      at = value_end + 1;
    }
  }

  Span written_value(std::u16string_view qname) const {
    for (const auto& [name, span] : written_)
      if (name.size() == qname.size() && std::equal(name.begin(), name.end(), qname.begin(), [](char a, char16_t b) {
            return static_cast<char16_t>(static_cast<unsigned char>(a)) == b;
          }))
        return span;
    return {last_open_begin_, last_open_begin_};
  }

  /// Whether the bytes as written are the value in UTF-8 (no entity, no normalised white space, no other encoding).
  bool equals_source(std::u16string_view value, Span written) const {
    const std::string_view bytes = document_.source().text(written);
    if (bytes.size() < value.size()) return false;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] >= 0x80) return bytes == to_utf8(value);
      if (static_cast<unsigned char>(bytes[i]) != value[i]) return false;
    }
    return bytes.size() == value.size();
  }

  Document& document_;
  xml::SAX2XMLReader& reader_;
  const Limits& limits_;
  Diagnostics& diagnostics_;
  std::vector<std::pair<std::u16string, std::u16string>> prefixes_;
  std::vector<std::pair<std::string_view, Span>> written_;
  std::string scratch_;
  std::uint32_t depth_ = 0;
  std::uint32_t last_open_begin_ = 0;
  std::uint32_t last_open_end_ = 0;
};

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
  initialise_xerces();
  auto document = std::make_unique<Document>(std::move(path), std::move(bytes));
  try {
    const std::unique_ptr<xml::SAX2XMLReader> reader(xml::XMLReaderFactory::createXMLReader());
    reader->setFeature(xml::XMLUni::fgSAX2CoreValidation, false);
    reader->setFeature(xml::XMLUni::fgXercesSchema, false);
    reader->setFeature(xml::XMLUni::fgXercesLoadExternalDTD, false);
    reader->setFeature(xml::XMLUni::fgXercesDisableDefaultEntityResolution, true);
    reader->setFeature(xml::XMLUni::fgXercesCalculateSrcOfs, true);
    Builder builder(*document, *reader, limits, diagnostics);
    reader->setContentHandler(&builder);
    reader->setErrorHandler(&builder);
    reader->setLexicalHandler(&builder);
    const std::string_view text = document->source().bytes();
    xml::MemBufInputSource source(reinterpret_cast<const XMLByte*>(text.data()), text.size(), "model", false);
    source.setCopyBufToStream(false);
    reader->parse(source);
    if (builder.root_seen()) return document;
    diagnostics.add("AM0117", Severity::error, "the document has no element; expected an AMALTHEA model",
                    {document->source().path()});
  } catch (const Stop&) {
    // Reported where it was thrown.
  } catch (const xml::OutOfMemoryException&) {
    diagnostics.add("AM0108", Severity::error, "out of memory while reading", {document->source().path()});
  } catch (const xml::XMLException& exception) {
    diagnostics.add("AM0109", Severity::error,
                    fmt::format("the XML parser gave up: {}", to_utf8(view(exception.getMessage()))),
                    {document->source().path()});
  }
  return nullptr;
}

}  // namespace amalthea::importer
