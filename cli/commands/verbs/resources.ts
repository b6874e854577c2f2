/** Adds resources to the verbs, depending on the command line before it is parsed. */
import type { Command } from "commander";
import {
  type CatalogResource,
  nounOf,
  requireResource,
  resources,
  summaryOf,
  supportsVerb,
  type Verb,
  verbs,
} from "../../resources/catalog.ts";
import { addAccepts } from "../accept.ts";
import { addRpcs, rpcWord } from "../call.ts";
import { addScim } from "../scim.ts";
import { addCreate } from "./create.ts";
import { addDelete } from "./delete.ts";
import { addDescribe, addGet } from "./get.ts";
import { addList } from "./list.ts";
import { addUpdate } from "./update.ts";

const adders = {
  list: addList,
  get: addGet,
  describe: addDescribe,
  create: addCreate,
  update: addUpdate,
  delete: addDelete,
};

const isVerb = (word: string): word is Verb => (verbs as readonly string[]).includes(word);

/** Returns the help of a verb for one resource. `describe` combines several RPCs, and a get can be a List. */
function textOf(resource: CatalogResource, verb: Verb): string {
  const noun = nounOf(resource);
  const article = /^[aeiou]/.test(noun) ? "an" : "a";
  const singular = noun.endsWith("metadata") ? noun : `${article} ${noun}`;
  if (verb === "describe") {
    return `Show ${singular}. The output contains all fields, and the resources that belong to this one.`;
  }
  const { text } = resource.methods[verb] ?? {};
  return text ?? `Get ${singular}.`;
}

/**
 * Adds the resources to the command of a verb. `word` is the next word of the command line, and only that resource gets
 * its flags. Returns the word in the form in which the command is named. Throws a USAGE Failure if there is no such
 * resource.
 */
export function addResourceCommands(
  command: Command,
  word: string | undefined,
): string | undefined {
  const verb = command.name();
  if (verb === "accept") addAccepts(command);
  if (verb === "scim") addScim(command);
  if (verb === "call") {
    const rpc = word === undefined ? undefined : rpcWord(word);
    addRpcs(command, rpc);
    return rpc;
  }
  if (!isVerb(verb)) return word;
  const asked = word === undefined ? undefined : requireResource(word, verb);
  for (const resource of resources()) {
    if (!supportsVerb(resource, verb)) continue;
    const name = verb === "list" ? resource.words : resource.word;
    const sub = command.command(name).summary(`${name.replaceAll("-", " ")}`);
    const text = textOf(resource, verb);
    sub.description(summaryOf(text)).summary("");
    if (resource === asked) adders[verb](sub.description(text), resource);
  }
  if (!asked) return undefined;
  return verb === "list" ? asked.words : asked.word;
}
