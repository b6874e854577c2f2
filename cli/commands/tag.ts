/** `platformctl tag`: gives an image another tag in its repository. */
import type { Command } from "commander";
import { usageFailure } from "../failure.ts";
import { findImage } from "../history/found_image.ts";
import { findNamedTag } from "../history/repository.ts";
import { requireMethod } from "../resources/catalog.ts";
import { requireResourceNamed } from "../resources/names.ts";
import { addOptions } from "../resources/options.ts";
import { overriding } from "../resources/override.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";
import { checkNewTag } from "./verbs/create_tag.ts";

type Options = JsonOption & { override?: string; dryRun?: boolean };

/** Adds `tag`. */
export function addTag(program: Command): void {
  const command = program
    .command("tag")
    .summary("Give an image another tag in its repository.")
    .description(
      "Give an image another tag in its repository, or move that tag to it. In TARGET, you\n" +
        "can leave out the repository: :stable. For another repository, use copy.",
    )
    .argument("<source>", "Image such as python:3.12 or python@sha256:…")
    .argument("<target>", "The new tag, such as python:stable or :stable.");
  addJsonOption(
    addOptions(command, "override", "dryRun"),
    "platformctl tag python:3.12 :stable",
    "platformctl tag $(platformctl pin acme.example/python:latest@7d) acme.example/python:stable",
  ).action(tagImage);
}

async function tagImage(source: string, target: string, options: Options): Promise<void> {
  const platform = await openPlatform();
  await explainFailure({ verb: "call", platform }, async () => {
    const { repoUid, name, digest } = await findImage(platform, source);
    const wanted = target.startsWith(":")
      ? { repoUid, name, tag: target.slice(1) }
      : await findNamedTag(platform, target);
    if (wanted.repoUid !== repoUid)
      throw usageFailure(
        `${target} is in another repository. To copy the image there, run: platformctl copy ${source} ${target}`,
      );
    const tag = { name: wanted.tag, digest };
    const done = await checkNewTag(platform, repoUid, tag, {});
    const row = await platform.call(requireMethod(requireResourceNamed("tag"), "create").rpc, {
      ...{ parent: repoUid, tag, validateOnly: options.dryRun === true },
      ...overriding(options.override),
    });
    const word = options.dryRun ? `Would be ${done.replace(":", "").toLowerCase()}:` : done;
    printAnswer(options, row, `${word} ${wanted.name}:${wanted.tag} ${digest}`);
  });
}
