/** Adds advice to errors from the platform, below the platform's own message. */
import { Failure, failureViolations } from "../failure.ts";
import { type CatalogResource, hasScope, resources, type Verb } from "./catalog.ts";
import { choiceNamed, type Flag, flagNamed, type JsonObject } from "./flags.ts";
import type { PlatformClient } from "./platform.ts";

/** The action that the command attempted. */
type Attempt = {
  verb: Verb | "call";
  resource?: CatalogResource | undefined;
  /** The name of the resource on the command line. */
  named?: string | undefined;
  flags?: Flag[];
  /** The group in which the command created or looked for the resource. */
  group?: string | undefined;
  /** The uid of the resource, if it is known. */
  uid?: string | undefined;
  platform?: PlatformClient;
};

/** Does some work, and adds the next step to its error. */
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
  // A Failure from the search by name already says what to do.
  if (failure.details.length === 0) return [];
  switch (failure.code) {
    case "NOT_FOUND":
      return resource?.methods.list ? [`To list them, run: ${listing(resource)}`] : [];
    case "ALREADY_EXISTS":
      return resource && named ? alternatives(resource, named) : [];
    case "FAILED_PRECONDITION":
      return failureViolations(failure).some(({ field }) => field === "RESOURCE_NOT_EMPTY")
        ? contents(failure, attempt)
        : [];
    case "INVALID_ARGUMENT":
      return resource && verb !== "call"
        ? [
            `To see the flags, run: platformctl ${verb} ${verb === "list" ? resource.words : resource.word} --help`,
          ]
        : [];
    default:
      return [];
  }
}

/** Returns a List command that works without further flags. Tags need their repository. */
const listing = ({ words, parent }: CatalogResource) =>
  `platformctl list ${words}${parent === "repo" ? " --repo REPO" : ""}`;

const alternatives = ({ word, methods }: CatalogResource, named: string) => [
  `To see it, run: platformctl describe ${word} ${shellQuote(named)}`,
  ...(methods.update
    ? [`To change it, run: platformctl update ${word} ${shellQuote(named)} --help`]
    : []),
];

/** Replaces the name of a field at the beginning of the message with the name of its flag. */
function inFlags(failure: Failure, flags: Flag[]): string {
  const [first] = failure.code === "INVALID_ARGUMENT" ? failureViolations(failure) : [];
  if (!first) return failure.message;
  const flag = flagNamed(flags, first.field);
  if (!flag) {
    const choice = choiceNamed(flags, first.field).map(({ name }) => `--${name}`);
    if (choice.length === 0) return failure.message;
    return failure.message.replace(`: ${first.field}: `, `: ${choice.join(" or ")}: `);
  }
  // The name of a new resource is not a flag. The examples have it in capitals.
  const word = flag.isArgument ? flag.name.toUpperCase() : `--${flag.name}`;
  return failure.message.replace(`: ${first.field}: `, `: ${word}: `);
}

/** Says what prevents the deletion of a group, according to the violations, and how to list it. */
async function contents(failure: Failure, { platform, uid }: Attempt): Promise<string[]> {
  if (!platform || !uid) return [];
  const words = failureViolations(failure).flatMap(
    ({ description }) => /with child (.+)$/.exec(description)?.[1]?.replaceAll(" ", "-") ?? [],
  );
  const held = await Promise.all(
    words.map(async (word) => {
      const resource = resources().find(
        (candidate) => candidate.words === word && hasScope(candidate),
      );
      const total = resource ? await totalBelow(platform, resource, uid) : 0;
      const count = total === 1 ? `1 ${resource?.word}` : `${total} ${word}`;
      return { resource, text: total > 0 ? count : word.replaceAll("-", " ") };
    }),
  );
  if (held.length === 0) return [];
  const listed = held.find(({ resource }) => resource)?.resource;
  return [
    `The group still contains: ${held.map(({ text }) => text).join(", ")}. Delete these first, or add --recursive to delete everything in the group.`,
    ...(listed
      ? [`To list them, run: platformctl list ${listed.words} --group ${uid} --children`]
      : []),
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

/** Quotes a word for a shell. */
export const shellQuote = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
