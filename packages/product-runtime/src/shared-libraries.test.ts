import { expect, it } from "vitest";
import { parseLdd } from "./shared-libraries.js";

it("reads what ldd says of a glibc and of a musl program", () => {
  expect(
    parseLdd(
      "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n" +
        "\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n\tlibmissing.so => not found\n",
    ),
  ).toEqual(["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"]);
  expect(
    parseLdd("\t/lib/ld-musl-x86_64.so.1 (0x7f)\n\tlibc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f)\n"),
  ).toEqual(["/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-x86_64.so.1"]);
});
