/** `platformctl copy`: copies an image to another repository. */
import type { Command } from "commander";
import { openClient } from "../account/client.ts";
import { usageFailure } from "../failure.ts";
import { readImage } from "../history/named_image.ts";
import { mebibyte } from "../images/chunks.ts";
import { copyImage } from "../images/copy_image.ts";
import { splitDigest } from "../images/descriptor.ts";
import { readRemoteImage } from "../images/remote_image.ts";
import { openSession, requireAccount } from "../images/session.ts";
import { showWaiting } from "../import/progress.ts";
import { platformOf } from "../resources/platform.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";
import { chunkSizeOption } from "./chunk_size.ts";

/** Adds `copy`. */
export function addCopy(program: Command): void {
  addJsonOption(
    program
      .command("copy")
      .summary("Copy an image to another repository, with its signatures and SBOMs.")
      .description(
        "Copy an image of all platforms to another repository of the registry, with the\n" +
          "signatures, SBOMs and other manifests that refer to it. Layers are not sent\n" +
          "again where the registry can mount them. Digests stay the same.",
      )
      .argument("<source>", "Image such as python:3.12 or python@sha256:…")
      .argument("<target>", "Image such as acme.example/base/python:3.12.")
      .addOption(chunkSizeOption()),
    "platformctl copy acme.example/python:3.12 acme.example/approved/python:3.12",
  ).action(copy);
}

async function copy(
  source: string,
  target: string,
  options: JsonOption & { chunkSize: number },
): Promise<void> {
  const session = await openSession();
  const { host } = session;
  const account = requireAccount(session);
  const platform = platformOf(openClient(account), account);
  const [asked = "", digest] = source.split("@");
  if (digest !== undefined && !splitDigest(digest))
    throw usageFailure(`${digest} is not a sha256 or sha512 digest.`);
  const from = await readImage(platform, asked, host);
  const to = await readImage(platform, target, host);
  const failed = (name: string) => (thrown: unknown) => {
    throw session.failure(thrown, name);
  };
  const reading = readRemoteImage(session, from.name, digest ?? from.tag, undefined);
  const image = await showWaiting(`reading ${source}`, reading.catch(failed(from.name)));
  const chunkSize = options.chunkSize * mebibyte;
  const plan = { session, from: from.name, to: to.name, tag: to.tag, chunkSize };
  const copied = await copyImage(plan, image).catch(failed(to.name));
  const reference = `${host}/${to.name}@${copied.digest}`;
  const others = copied.referrers > 0 ? ` and ${countText(copied.referrers, "referrer")}` : "";
  const text = `Copied ${source} to ${to.name}:${to.tag}${others}: ${reference}`;
  printAnswer(options, { reference, tag: to.tag, ...copied }, text);
}
