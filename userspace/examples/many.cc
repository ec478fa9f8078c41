// SPDX-License-Identifier: MIT
/*
 * Takes a batch of IDs from libkuid, reads one more as text, and prints them:
 *
 *	many [--fallback]
 *
 * If there is no device, it fails, or with --fallback the library makes the IDs
 * in this process.
 */
#include <kuid.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace
{
const char lines[] = "/dev/kuids/v7.txt";

struct Close {
	void operator()(kuid *handle) const
	{
		kuid_close(handle);
	}
};

using Handle = std::unique_ptr<kuid, Close>;
using Id = std::array<unsigned char, 16>;

std::vector<Id> take(std::size_t count, unsigned int flags)
{
	std::vector<Id> ids(count);
	Handle handle(kuid_open_flags(KUID_FORMAT_V7, flags));

	if (!handle ||
	    kuid_many(handle.get(), ids.data(), count) != ssize_t(count))
		throw std::system_error(errno, std::generic_category(),
					"/dev/kuids/v7");
	return ids;
}

// A stream with a buffer would read hundreds of IDs ahead, which are lost when
// it is closed.
std::string read_line()
{
	std::ifstream device;
	std::string line;

	device.rdbuf()->pubsetbuf(nullptr, 0);
	device.open(lines);
	if (!std::getline(device, line))
		throw std::runtime_error(std::string(lines) + " gave no ID");
	return line;
}
} // namespace

int main(int argc, char **argv)
{
	bool fallback = argc > 1 && argv[1] == std::string("--fallback");

	try {
		for (const Id &id : take(5, fallback ? KUID_OR_LOCAL : 0)) {
			char text[KUID_TEXT_MAX];

			kuid_text(KUID_FORMAT_V7, id.data(), text,
				  sizeof(text));
			std::cout << text << '\n';
		}
		if (!fallback || std::filesystem::exists(lines))
			std::cout << read_line() << '\n';
	} catch (const std::system_error &error) {
		std::cerr << "many: " << error.what();
		if (error.code() == std::errc::no_such_device)
			std::cerr
				<< ": load the module kuid, or use --fallback";
		std::cerr << '\n';
		return EXIT_FAILURE;
	} catch (const std::exception &error) {
		std::cerr << "many: " << error.what() << '\n';
		return EXIT_FAILURE;
	}
}
