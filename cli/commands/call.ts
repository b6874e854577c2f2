/** `platformctl call`: calls any RPC of version 2, with its request as flags or JSON. */

import { type Command, InvalidArgumentError } from "commander";
import { usageFailure } from "../failure.ts";
import { catalog, firstSentence, summaryOf } from "../resources/catalog.ts";
import { withoutControls } from "../resources/cells.ts";
import { addDocumentOptions, printDocument } from "../resources/documents.ts";
import {
  addFlags,
  applyFlags,
  flagsOf,
  givenOf,
  isObject,
  type JsonObject,
} from "../resources/flags.ts";
import { optionNamed } from "../resources/options.ts";
import { keyOf, openPlatform, toWireRequest } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { readObject, wireRequestText, withUids } from "../resources/request.ts";
import { didYouMean, nearestWord } from "../resources/spelling.ts";
import { groupOption } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { type JsonOption, withExamples } from "./answer.ts";

type CatalogOperation = ReturnType<typeof catalog>["operations"][number];

/** Such as `ReposService/ListRepos`. */
const shortRpc = ({ rpc }: CatalogOperation) => rpc.replace(/^.*\.(?=\w+\/)/, "");

const methodOf = (rpc: string) => rpc.split("/")[1] ?? "";

/** Finds an RPC by its full name, by `ReposService/ListRepos`, by `ListRepos`, or by the client's `repos.list`. */
export function operationNamed(word: string): CatalogOperation {
  const asked = word.toLowerCase();
  const { operations } = catalog();
  const matches = operations.filter((operation) => {
    const short = shortRpc(operation);
    const names = [operation.rpc, short, methodOf(short), keyOf(operation.rpc)];
    return names.some((name) => name.toLowerCase() === asked);
  });
  const [operation] = matches;
  if (operation && matches.length === 1) return operation;
  const names = operations.map(shortRpc);
  const method = word.includes("/") ? undefined : nearestWord(word, names.map(methodOf));
  const near = names.find((name) => methodOf(name) === method) ?? nearestWord(word, names);
  throw usageFailure(
    `There is no RPC ${JSON.stringify(word)}.${didYouMean(near)}\nTo list all RPCs, run: platformctl call`,
  );
}

/** Returns the name of an RPC as it appears on the command line. */
export const rpcWord = (word: string) => shortRpc(operationNamed(word));

/** Adds the RPC of that name, or all of them. */
export function addRpcs(command: Command, word: string | undefined): void {
  const { operations } = catalog();
  for (const operation of word === undefined ? operations : [operationNamed(word)]) {
    const sub = command.command(shortRpc(operation)).description(operation.text);
    sub.summary(summaryOf(operation.text));
    if (word !== undefined) addRpc(sub, operation);
  }
}

function addRpc(command: Command, operation: CatalogOperation): void {
  const flags = flagsOf(operation.input);
  command
    .option(
      "-d, --data <json>",
      "Request as JSON, as @FILE, or as @- for standard input. Flags override its fields.",
      data,
    )
    .addOption(optionNamed("dryRun"));
  addDocumentOptions(command);
  addFlags(command, flags, "Fields of the request:");
  const { name } = command;
  withExamples(
    command,
    `platformctl call ${name.call(command)} -d @request.json`,
    `platformctl call ${name.call(command)} -d '{}' --dry-run`,
  ).action(async (options: JsonOption & { data?: JsonObject; dryRun?: boolean }) => {
    const platform = await openPlatform();
    await explainFailure({ verb: "call", flags, platform }, async () => {
      const below = await groupOption(platform, undefined);
      const values = await withUids(platform, givenOf(command, flags), { below });
      const request = applyFlags(options.data ?? {}, values);
      const wire = toWireRequest(platform, operation.rpc, request);
      if (options.dryRun) {
        if (options.json) printDocument(options, wire);
        else here().stdout.write(wireRequestText(wire));
        return;
      }
      const answer = await platform.call(operation.rpc, request);
      if (options.json || !here().stdout.isTTY) printDocument(options, answer);
      else here().stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    });
  });
}

function data(text: string): JsonObject {
  if (text.startsWith("@")) return readObject(text.slice(1));
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The text is not JSON, and so not an object either.
  }
  throw new InvalidArgumentError("It must be a JSON object, or @FILE.");
}

/** Prints every RPC and its description. */
export function showRpcs(options: JsonOption): void {
  const { json } = options;
  const all = catalog().operations.map((operation) => ({
    rpc: shortRpc(operation),
    text: json ? firstSentence(operation.text) : summaryOf(operation.text),
  }));
  if (json) {
    printDocument(options, { rpcs: all });
    return;
  }
  const width = Math.max(...all.map(({ rpc }) => rpc.length));
  const isTerminal = here().stdout.isTTY;
  const lines = all.map(({ rpc, text }) => {
    const line = isTerminal
      ? `${rpc.padEnd(width + 2)}${withoutControls(text)}`
      : `${rpc}\t${withoutControls(text)}`;
    return isTerminal ? line.slice(0, here().stdout.columns || 80) : line;
  });
  here().stdout.write(`${lines.join("\n")}\n`);
}
