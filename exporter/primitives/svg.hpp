// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Elements of SVG drawings. Lengths are integers in hundredths of a pixel, so that the output does not depend on
/// floating-point formatting.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace amalthea::exporter::svg {

inline constexpr std::int64_t pixel = 100;
inline constexpr std::int64_t letter_width = 7 * pixel;  ///< of the default font, a generous estimate

struct Paint {
  std::string_view fill;
  std::string_view text;
};
/// Okabe and Ito's colors, distinguishable with all kinds of color vision; then the same again, hatched.
inline constexpr std::array<Paint, 8> paints = {{{"#56B4E9", "#000"},
                                                 {"#E69F00", "#000"},
                                                 {"#009E73", "#000"},
                                                 {"#F0E442", "#000"},
                                                 {"#CC79A7", "#000"},
                                                 {"#D55E00", "#fff"},
                                                 {"#0072B2", "#fff"},
                                                 {"#BBBBBB", "#000"}}};
inline const Paint& paint_of(std::size_t index) { return paints[index % paints.size()]; }

/// "12.5" for 1250.
std::string number(std::int64_t hundredths);

/// For text and attributes; valid UTF-8 without control characters.
std::string escaped(std::string_view text);

/// Number of characters, not bytes, of UTF-8.
std::int64_t letters(std::string_view text);

/// The beginning of a drawing: white background, with the hatch patterns of rectangles. The drawing ends with
/// "</svg>\n".
std::string head(std::int64_t width, std::int64_t height);

/// In the color with this index, at least half a pixel wide; `style` contains further attributes.
std::string rectangle(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, std::size_t colour,
                      std::string_view style);

}  // namespace amalthea::exporter::svg
