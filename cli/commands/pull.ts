/** `platformctl pull`: copies an image from the registry to this machine. */
import type { Command } from "commander";
import { openClient } from "../account/client.ts";
import { usageFailure } from "../failure.ts";
import { readImage } from "../history/named_image.ts";
import { parsePlatform, splitDigest } from "../images/descriptor.ts";
import { writeArchive, writeArchiveFile } from "../images/layout_archive.ts";
import { type PullTarget, writeFolder } from "../images/layout_folder.ts";
import { type RemoteImage, readRemoteImage } from "../images/remote_image.ts";
import { openSession, type Session } from "../images/session.ts";
import { showWaiting } from "../import/progress.ts";
import { optionNamed } from "../resources/options.ts";
import { platformOf } from "../resources/platform.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";

type Options = JsonOption & { platform?: string };

const about = `Copy an image from the registry to this machine.

TARGET is a folder, a file that ends in .tar, or - for standard output. All of
them have an OCI layout. docker load also reads an archive of one platform.

If the command is interrupted while it writes a folder, run it again: it
continues where it stopped. Every digest is checked.`;

/** Adds `pull`. */
export function addPull(program: Command): void {
  addJsonOption(
    program
      .command("pull")
      .summary("Copy an image to a folder or a tar archive.")
      .description(about)
      .argument("<image>", "Image such as python:3.12, acme.example/python:3.12 or python@sha256:…")
      .argument("<target>", "A folder, a file that ends in .tar, or - for standard output.")
      .addOption(optionNamed("platform")),
    "platformctl pull acme.example/app:1.0 ./layout",
    "platformctl pull acme.example/app:1.0 --platform linux/arm64 app.tar",
    "platformctl pull acme.example/app:1.0 --platform linux/amd64 - | docker load",
    "platformctl pull $(platformctl pin acme.example/app:1.0@30d) ./layout",
  ).action(pull);
}

async function pull(text: string, path: string, options: Options): Promise<void> {
  const platform = options.platform === undefined ? undefined : parsePlatform(options.platform);
  requireUsableOutput(path, options);
  const session = await openSession();
  const { name, tag, reference } = await readPullReference(text, session);
  const reading = readRemoteImage(session, name, reference, platform);
  const image = await explained(session, name, showWaiting(`reading ${text}`, reading));
  const target = { session, name, tag, path };
  await explained(session, name, write(image, target));
  const { digest } = image.root.descriptor;
  const pinned = `${session.host}/${name}@${digest}`;
  if (!options.json) here().stderr.write(`${sentence(text, image)}\n`);
  if (path === "-") return;
  const bytes = image.blobs.reduce((sum, { size }) => sum + size, 0);
  const counts = { manifests: image.manifests.length, blobs: image.blobs.length, bytes };
  const answer = { reference: pinned, digest, target: path, ...counts, missing: image.missing };
  printAnswer(options, answer, pinned);
}

function requireUsableOutput(path: string, { json }: Options): void {
  if (path !== "-") return;
  if (json) throw usageFailure("--json needs standard output, so the target cannot be - as well.");
  if (here().stdout.isTTY) {
    throw usageFailure(
      "The archive does not go to a terminal. Redirect the output, or name a file.",
    );
  }
}

const explained = <T>(session: Session, name: string, work: Promise<T>): Promise<T> =>
  work.catch((thrown) => {
    throw session.failure(thrown, name);
  });

function write(image: RemoteImage, target: PullTarget): Promise<void> {
  if (target.path === "-") return writeArchive(image, target, here().stdout);
  if (target.path.endsWith(".tar")) return writeArchiveFile(image, target);
  return writeFolder(image, target);
}

/** Parses a reference with a tag, a digest, or both. The digest decides. Throws a USAGE Failure. */
async function readPullReference(text: string, { host, account }: Session) {
  const platform = account && platformOf(openClient(account), account);
  const [image = "", digest, ...rest] = text.split("@");
  if (digest === undefined) {
    const { name, tag } = await readImage(platform, image, host);
    return { name, tag, reference: tag };
  }
  if (rest.length > 0 || !splitDigest(digest)) {
    throw usageFailure(`${digest} is not a sha256 or sha512 digest.`);
  }
  const { name } = await readImage(platform, image, host);
  return { name, tag: undefined, reference: digest };
}

function sentence(text: string, { manifests, blobs, missing }: RemoteImage): string {
  const bytes = blobs.reduce((sum, { size }) => sum + size, 0);
  const size = (bytes / 1024 / 1024).toLocaleString("en", { maximumFractionDigits: 1 });
  const lost = missing.length
    ? ` The registry does not have ${countText(missing.length, "manifest")} of its index.`
    : "";
  return `Copied ${text}: ${countText(manifests.length, "manifest")} and ${countText(blobs.length, "blob")} with ${size} MiB.${lost}`;
}
