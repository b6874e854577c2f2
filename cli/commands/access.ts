/** `platformctl access`: who may do this, what may they do, and why. */
import type { Command } from "commander";
import { exitCodes, usageFailure } from "../failure.ts";
import { capabilityWord } from "../resources/capabilities.ts";
import { withoutControls } from "../resources/cells.ts";
import type { JsonObject } from "../resources/flags.ts";
import { readNames } from "../resources/names.ts";
import { optionNamed } from "../resources/options.ts";
import { openPlatform } from "../resources/platform.ts";
import { explainFailure } from "../resources/refusals.ts";
import { requireGroup } from "../resources/where.ts";
import { here } from "../surroundings.ts";
import { capabilityOf, identityUid, resourceUid } from "./access_arguments.ts";
import { showWho } from "./access_who.ts";
import { addJsonOption, type JsonOption, printAnswer, withExamples } from "./answer.ts";

const service = "platform.iam.access.v2.AccessService";

type Options = JsonOption & {
  group?: string;
  identity?: string;
  decision?: string;
};

const resourceHelp =
  "Uid, or name of a group, of a repository, or REPO:TAG. A uid does not have to exist.";
const capabilityHelp =
  "Capability such as repo.delete. To list yours, run: platformctl access what";

/** Adds `access`. */
export function addAccess(program: Command): void {
  const access = withExamples(
    program
      .command("access")
      .summary("Show who may do something, what someone may do, and why.")
      .description(
        "Show who may do something, what someone may do, and why. The answers come from\n" +
          "the code that decides every call. To ask about others, you need a role such as\n" +
          "owner on the group.",
      ),
    "platformctl access who repo.delete team-a",
    "platformctl access why me repo.delete nginx",
  );
  addWho(access);
  addWhat(access);
  addWhy(access);
}

function addWho(access: Command): void {
  addJsonOption(
    access
      .command("who")
      .summary("Show who has a capability on a resource.")
      .description(
        "Show who has a capability on a resource: through which role, on which group, and\n" +
          "through which role binding or role mapping. Without --inactive, only those whose role\n" +
          "applies.",
      )
      .argument("<capability>", capabilityHelp)
      .argument("<resource>", resourceHelp)
      .option("--inactive", "Show also who waits for acceptance, is blocked or is out of reach.")
      .addOption(optionNamed("group")),
    "platformctl access who repo.delete team-a",
    "platformctl access who tag.create nginx:latest --inactive",
    "platformctl access who repo.delete team-a --json | jq -r '.accessEntries[].identityUid'",
  ).action(showWho);
}

function addWhat(access: Command): void {
  addJsonOption(
    access
      .command("what")
      .summary("Show what you or another identity may do on a resource.")
      .description(
        "Show the capabilities that you, or another identity, have on a resource. The\n" +
          "answer for yourself considers the limits of your token.",
      )
      .argument("[resource]", `${resourceHelp} The default is the group.`)
      .addOption(optionNamed("identity"))
      .addOption(optionNamed("group")),
    "platformctl access what",
    "platformctl access what nginx --identity ci",
  ).action(showWhat);
}

function addWhy(access: Command): void {
  addJsonOption(
    access
      .command("why")
      .summary("Explain why an identity may or may not do something.")
      .description(
        "Explain why an identity has a capability on a resource, or what is missing and\n" +
          "how to fix it. With --decision, explain an error by its decision id. If that\n" +
          "call named no uid, such as a pull, add the resource: --decision ID RESOURCE.\n" +
          "The exit code is 1 if the access is missing.",
      )
      .argument("[identity]", "Name, address or uid of the identity, or `me`.")
      .argument("[capability]", capabilityHelp)
      .argument("[resource]", resourceHelp)
      .option("--decision <id>", "Explain the error with this decision id.")
      .addOption(optionNamed("group")),
    "platformctl access why ci repo.delete nginx",
    "platformctl access why me groups.create team-a",
    "platformctl access why --decision ID",
  ).action(showWhy);
}

async function showWhat(resource: string | undefined, options: Options): Promise<void> {
  const platform = await openPlatform();
  const named = resource ?? options.group ?? here().env.PLATFORM_GROUP ?? "the group";
  const capabilities = await explainFailure({ verb: "call", platform }, async () => {
    const uid =
      resource === undefined
        ? await requireGroup(platform, options.group)
        : await resourceUid(platform, resource, options.group);
    const { identity } = options;
    const request = {
      resourceUids: [uid],
      ...(identity === undefined
        ? {}
        : { identityUid: await identityUid(platform, identity, options.group) }),
    };
    const { permissions } = await platform.call(`${service}/TestPermissions`, request);
    const [first] = permissions as { capabilities?: string[] }[];
    return (first?.capabilities ?? []).map(capabilityWord).sort();
  });
  const who = options.identity === undefined ? "You have" : `${options.identity} has`;
  const value = { resource: named, capabilities };
  const isEmpty = capabilities.length === 0;
  const text = isEmpty ? `${who} no capability on ${named}.` : byResource(capabilities);
  const lines = here().stdout.isTTY ? text : capabilities.join("\n");
  if (lines !== "" || options.json) printAnswer(options, value, lines);
}

/** Returns a line for each kind of resource: `repo  create, delete, list`. */
function byResource(capabilities: string[]): string {
  const groups = Map.groupBy(capabilities, (capability) =>
    capability.slice(0, capability.lastIndexOf(".")),
  );
  const width = Math.max(...[...groups.keys()].map((kind) => kind.length));
  return [...groups]
    .map(([kind, capabilities]) => {
      const verbs = capabilities.map((capability) =>
        capability.slice(capability.lastIndexOf(".") + 1),
      );
      return `${kind.padEnd(width)}  ${verbs.join(", ")}`;
    })
    .join("\n");
}

async function showWhy(
  identity: string | undefined,
  capability: string | undefined,
  resource: string | undefined,
  options: Options,
): Promise<void> {
  const { decision, group } = options;
  if (decision !== undefined && capability !== undefined)
    throw usageFailure(
      "With --decision, name at most a resource: platformctl access why --decision ID [RESOURCE]",
    );
  if (decision === undefined && (!identity || !capability || !resource))
    throw usageFailure("Name an identity, a capability and a resource, or use --decision.");
  const name = capability === undefined ? "" : capabilityOf(capability);
  const platform = await openPlatform();
  const { answer, names } = await explainFailure({ verb: "call", platform }, async () => {
    const answer = await (decision === undefined
      ? platform.call(`${service}/ExplainAccess`, {
          identityUid: await identityUid(platform, identity ?? "", group),
          capability: name,
          resourceUid: await resourceUid(platform, resource ?? "", group),
        })
      : platform.call(`${service}/GetAccessDecision`, {
          id: decision,
          // The first argument of a decision is the resource to explain it at.
          ...(identity ? { resourceUid: await resourceUid(platform, identity, group) } : {}),
        }));
    const uids = JSON.stringify(answer).match(uidsInText) ?? [];
    return { answer, names: await readNames(platform, uids) };
  });
  const explanation = (decision === undefined ? answer : answer.explanation) as JsonObject;
  if (explanation.identityName)
    names.set(String(explanation.identityUid), String(explanation.identityName));
  // Others chose these names. They must not be able to write a line that looks like one of this command.
  for (const [uid, name] of names) names.set(uid, withoutControls(name));
  const asked = decision === undefined ? [] : [decisionText(answer), ""];
  printAnswer(options, answer, withNames([...asked, ...whyLines(explanation)].join("\n"), names));
  if (explanation.allowed !== true) here().exitCode = exitCodes.refused;
}

const uidsInText = /[0-9a-f]{40}(?:\/[0-9a-f]{16})*/g;

/** Replaces uids in sentences with names. Commands keep their uids. */
const withNames = (text: string, names: Map<string, string>) =>
  text
    .split("\n")
    .map((line) =>
      line.startsWith("  platformctl")
        ? line
        : line.replace(uidsInText, (uid) => names.get(uid) ?? uid),
    )
    .join("\n");

function decisionText(answer: JsonObject): string {
  const who = answer.identityUid || `${answer.subject} of ${answer.issuer}`;
  const what = answer.image || answer.resourceUid || "no resource";
  const method = String(answer.method).replace(/^platform\./, "");
  return withoutControls(`At ${answer.decideTime}, ${who} called ${method} on ${what}.`);
}

function whyLines({ allowed, summary, fix }: JsonObject): string[] {
  const { kind, identityUid, groupUid, roleUid, roleBindingUid } = (fix ?? {}) as JsonObject;
  const answer = withoutControls(`${allowed ? "Yes" : "No"}. ${summary}`);
  if (kind === "KIND_CREATE_ROLE_BINDING") {
    const flags = `--identity ${identityUid} --role ${roleUid} --group ${groupUid}`;
    return [answer, "", `  platformctl create role-binding ${flags}`];
  }
  if (kind === "KIND_ACCEPT_ROLE_BINDING")
    return [answer, "", `  platformctl accept invite ${roleBindingUid}    # as that person`];
  return [answer];
}
