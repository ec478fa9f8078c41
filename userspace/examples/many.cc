// SPDX-License-Identifier: MIT
/*
 * Takes a batch of IDs from libkuid and prints them.
 *
 * Without the library an std::ifstream does it, but must be told to have no
 * buffer, or it reads hundreds of IDs ahead that are lost when it is closed:
 * call rdbuf()->pubsetbuf(nullptr, 0) before open().
 */
#include <kuid.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <system_error>
#include <vector>

namespace
{
struct Close {
	void operator()(kuid *handle) const
	{
		kuid_close(handle);
	}
};

using Handle = std::unique_ptr<kuid, Close>;
using Id = std::array<unsigned char, 16>;

std::vector<Id> take(std::size_t count)
{
	std::vector<Id> ids(count);
	Handle handle(kuid_open(KUID_FORMAT_V7));

	if (!handle ||
	    kuid_many(handle.get(), ids.data(), count) != ssize_t(count))
		throw std::system_error(errno, std::generic_category(),
					"/dev/kuids/v7");
	return ids;
}
} // namespace

int main()
{
	try {
		for (const Id &id : take(5)) {
			char text[KUID_TEXT_MAX];

			kuid_text(KUID_FORMAT_V7, id.data(), text,
				  sizeof(text));
			std::cout << text << '\n';
		}
	} catch (const std::exception &error) {
		std::cerr << "many: " << error.what() << '\n';
		return EXIT_FAILURE;
	}
}
