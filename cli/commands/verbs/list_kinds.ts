/** `platformctl list` without a kind: the kinds of resources, and the verbs of each. */
import { resources, supportsVerb, verbs } from "../../resources/catalog.ts";
import { type DocumentOptions, printDocument } from "../../resources/documents.ts";
import { styleOutput } from "../../resources/table.ts";
import { here } from "../../surroundings.ts";
import { countText } from "../answer.ts";

/** Prints the kinds of resources and the verbs that each has. */
export function showResources(options: DocumentOptions): void {
  const all = resources()
    .map((resource) => ({
      name: resource.words,
      singular: resource.word,
      verbs: verbs.filter((verb) => supportsVerb(resource, verb)),
    }))
    .filter(({ verbs: able }) => able.length > 0);
  if (options.json) {
    printDocument(options, { resources: all });
    return;
  }
  const width = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ name, verbs: able }) =>
    here().stdout.isTTY
      ? `${name.padEnd(width + 2)}${able.join(" ")}`
      : `${name}\t${able.join(" ")}`,
  );
  here().stdout.write(`${lines.join("\n")}\n`);
  if (here().stdout.isTTY) {
    const text = `${countText(all.length, "resource")}. For help on one, run: platformctl list ${all[0]?.name} --help`;
    here().stderr.write(`${styleOutput(here().stderr, "dim", text)}\n`);
  }
}
