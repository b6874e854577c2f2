/** `platformctl push`: pushes an image from this machine to the registry. */
import type { Command } from "commander";
import { readReference } from "../history/image_reference.ts";
import { mebibyte } from "../images/chunks.ts";
import { parsePlatform } from "../images/descriptor.ts";
import { openImageFiles } from "../images/image_files.ts";
import { pushImage } from "../images/push_image.ts";
import { readLocalImage } from "../images/read_image.ts";
import { openSession, requireAccount } from "../images/session.ts";
import { showWaiting } from "../import/progress.ts";
import { optionNamed } from "../resources/options.ts";
import { here } from "../surroundings.ts";
import { addJsonOption, countText, type JsonOption, printAnswer } from "./answer.ts";
import { chunkSizeOption } from "./chunk_size.ts";

type Options = JsonOption & {
  sourceImage?: string;
  platform?: string;
  mountFrom?: string;
  chunkSize: number;
};

const about = `Push an image from this machine to the registry.

SOURCE is a folder or a tar archive with an OCI layout, or the output of
docker save. With -, the archive comes from standard input. Archives may be
compressed with gzip.

Large layers are sent in chunks, so a layer may be larger than one request to
the platform may be. Layers that the repository already has are not sent. If
the command is interrupted, run it again: it continues where it stopped.

Only the reference of the image by its digest goes to standard output.`;

/** Adds `push`. */
export function addPush(program: Command): void {
  addJsonOption(
    program
      .command("push")
      .summary("Push an image from a folder, a tar archive or docker save.")
      .description(about)
      .argument("<source>", "A folder, a tar archive, or - for standard input.")
      .argument("<image>", "NAMESPACE/NAME[:TAG], with or without the registry's host in front.")
      .option(
        "--source-image <name>",
        "Name or digest of the image, if the source contains several.",
      )
      .addOption(optionNamed("platform"))
      .option(
        "--mount-from <name>",
        "NAMESPACE/NAME of a repository that may have the same layers.",
      )
      .addOption(chunkSizeOption()),
    "platformctl push ./layout acme.example/app:1.0",
    "docker save app:1.0 | platformctl push - acme.example/app:1.0",
    "platformctl push app.tar acme.example/app --platform linux/arm64",
  ).action(push);
}

async function push(source: string, text: string, options: Options): Promise<void> {
  const platform = options.platform === undefined ? undefined : parsePlatform(options.platform);
  const session = await openSession();
  const { name, tag } = readReference(text, session.host);
  const mountFrom = options.mountFrom && readReference(options.mountFrom, session.host).name;
  requireAccount(session);
  const files = await showWaiting(`reading ${source}`, openImageFiles(source));
  try {
    const choice = { image: options.sourceImage, platform };
    const image = await showWaiting(`reading ${source}`, readLocalImage(files, choice));
    const chunkSize = options.chunkSize * mebibyte;
    const target = { name, tag, mountFrom: mountFrom || undefined, chunkSize };
    const pushed = await pushImage(session, image, target).catch((thrown) => {
      throw session.failure(thrown, name);
    });
    const reference = `${session.host}/${name}@${pushed.digest}`;
    if (!options.json) here().stderr.write(`${sentence(`${name}:${tag}`, pushed)}\n`);
    printAnswer(options, { reference, tag, ...pushed }, reference);
  } finally {
    await files.close();
  }
}

function sentence(image: string, { blobs, bytes }: Awaited<ReturnType<typeof pushImage>>): string {
  const size = (bytes / mebibyte).toLocaleString("en", { maximumFractionDigits: 1 });
  const notSent = blobs.exists + blobs.mounted;
  const rest = notSent > 0 ? `; the registry already had ${countText(notSent, "blob")}` : "";
  return `Pushed ${image}: ${countText(blobs.uploaded, "blob")} with ${size} MiB${rest}.`;
}
