/** What to do next when the platform refuses: said below its own words. */
import { Failure, failureViolations } from "../failure.ts";
import { type CatalogResource, hasScope, resources, type Verb } from "./catalog.ts";
import { choiceNamed, type Flag, flagNamed, type JsonObject } from "./flags.ts";
import type { PlatformClient } from "./platform.ts";

/** What was tried. */
type Attempt = {
  verb: Verb | "call";
  resource?: CatalogResource | undefined;
  /** What the resource was called on the command line. */
  named?: string | undefined;
  flags?: Flag[];
  /** Where it was made or looked for. */
  group?: string | undefined;
  /** The uid of the resource, once it is known. */
  uid?: string | undefined;
  platform?: PlatformClient;
};

/** Does something, and adds the next step to its refusal. */
export async function explainFailure<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw await withNextStep(error, attempt);
  }
}

async function withNextStep(failure: Failure, attempt: Attempt): Promise<Failure> {
  const { exitCode, code, details } = failure;
  const message = inFlags(failure, attempt.flags ?? []);
  const notes = (await nextSteps(failure, attempt)).filter((note) => !message.includes(note));
  return new Failure(exitCode, code, [message, ...notes].join("\n"), details);
}

async function nextSteps(failure: Failure, attempt: Attempt): Promise<string[]> {
  const { resource, named, verb } = attempt;
  // What is found out here, by name, says itself what to do.
  if (failure.details.length === 0) return [];
  switch (failure.code) {
    case "NOT_FOUND":
      return resource?.methods.list ? [`To see what there is: ${listing(resource)}`] : [];
    case "ALREADY_EXISTS":
      return resource && named ? alternatives(resource, named) : [];
    case "FAILED_PRECONDITION":
      return failureViolations(failure).some(({ field }) => field === "RESOURCE_NOT_EMPTY")
        ? contents(failure, attempt)
        : [];
    case "INVALID_ARGUMENT":
      return resource && verb !== "call"
        ? [
            `To see the flags: platformctl ${verb} ${verb === "list" ? resource.words : resource.word} --help`,
          ]
        : [];
    default:
      return [];
  }
}

/** A List that works without further flags; tags need their repo. */
const listing = ({ words, parent }: CatalogResource) =>
  `platformctl list ${words}${parent === "repo" ? " --repo REPO" : ""}`;

const alternatives = ({ word, methods }: CatalogResource, named: string) => [
  `To see it: platformctl describe ${word} ${shellQuote(named)}`,
  ...(methods.update
    ? [`To change it: platformctl update ${word} ${shellQuote(named)} --help`]
    : []),
];

/** Names of flags in place of names of fields, where the message begins with one. */
function inFlags(failure: Failure, flags: Flag[]): string {
  const [first] = failure.code === "INVALID_ARGUMENT" ? failureViolations(failure) : [];
  if (!first) return failure.message;
  const flag = flagNamed(flags, first.field);
  if (!flag) {
    const choice = choiceNamed(flags, first.field).map(({ name }) => `--${name}`);
    if (choice.length === 0) return failure.message;
    return failure.message.replace(`: ${first.field}: `, `: ${choice.join(" or ")}: `);
  }
  // The name of what is created is no flag: the usage line has it in brackets.
  const word = flag.isArgument ? `[${flag.name}]` : `--${flag.name}`;
  return failure.message.replace(`: ${first.field}: `, `: ${word}: `);
}

/** What stands in the way of deleting a group, by the words of the violations, and how to see it. */
async function contents(failure: Failure, { platform, uid }: Attempt): Promise<string[]> {
  if (!platform || !uid) return [];
  const words = failureViolations(failure).flatMap(
    ({ description }) => /with child (.+)$/.exec(description)?.[1]?.replaceAll(" ", "-") ?? [],
  );
  const held = await Promise.all(
    words.map(async (word) => {
      const resource = resources().find((one) => one.words === word && hasScope(one));
      const total = resource ? await totalBelow(platform, resource, uid) : 0;
      const count = total === 1 ? `1 ${resource?.word}` : `${total} ${word}`;
      return { resource, text: total > 0 ? count : word.replaceAll("-", " ") };
    }),
  );
  if (held.length === 0) return [];
  const listed = held.find(({ resource }) => resource)?.resource;
  return [
    `It holds ${held.map(({ text }) => text).join(", ")}. Delete them first, or all of it with --recursive.`,
    ...(listed ? [`To see them: platformctl list ${listed.words} --group ${uid} --children`] : []),
  ];
}

async function totalBelow(
  platform: PlatformClient,
  { methods }: CatalogResource,
  uid: string,
): Promise<number> {
  const request: JsonObject = { uidp: { childrenOf: uid } };
  try {
    const { rows, total } = await platform.list(methods.list?.rpc ?? "", request, 1);
    return total ?? rows.length;
  } catch (error) {
    if (error instanceof Failure) return 0;
    throw error;
  }
}

/** A word as a shell takes it. */
export const shellQuote = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
