// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The verbs below `amalthea gpu`, and their common functions. Each verb adds its subcommand and sets `exit_code` when
/// it runs.

#include <optional>
#include <string>

#include <CLI/App.hpp>

#include "cli/complaint.hpp"
#include "engine/gpu/device_profile.hpp"

namespace amalthea::cli {

void add_gpu_bounds(CLI::App& gpu, int& exit_code);
void add_gpu_interference(CLI::App& gpu, int& exit_code);
void add_gpu_makespan(CLI::App& gpu, int& exit_code);
void add_gpu_occupancy(CLI::App& gpu, int& exit_code);
void add_gpu_partition(CLI::App& gpu, int& exit_code);
void add_gpu_place(CLI::App& gpu, int& exit_code);
void add_gpu_rta(CLI::App& gpu, int& exit_code);
void add_gpu_run(CLI::App& gpu, int& exit_code);
void add_gpu_study(CLI::App& gpu, int& exit_code);
void add_gpu_warps(CLI::App& gpu, int& exit_code);

/// Prints the text to standard output; returns `exit_code`, or that of a write failure.
int written(const std::string& text, int exit_code);

/// --format text|json.
void add_format(CLI::App& verb, std::string& format);

/// The profile, whose SMs are known; otherwise nothing and a message.
std::optional<engine::DeviceProfile> profile_with_sms(const std::string& platform);
/// The same for an NVIDIA GPU; other GPUs are rejected with a message.
std::optional<engine::DeviceProfile> nvidia_profile(const std::string& platform);

/// The bytes of a file; nothing and a message if it is unreadable.
std::optional<std::string> file_text(const std::string& path);

}  // namespace amalthea::cli
