/** `platformctl auth docker`: clients of the registry get their tokens from docker-credential-platform. */
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { findAccount } from "../account/credentials.ts";
import { type HelperChange, helperFiles, helperName, setHelper } from "../account/docker_config.ts";
import { here, note } from "../surroundings.ts";
import { addJsonOption, type JsonOption, printAnswer } from "./answer.ts";

const program = `docker-credential-${helperName}`;

/** Adds `docker` to `auth`. */
export function addAuthDocker(auth: Command): void {
  addJsonOption(
    auth
      .command("docker")
      .description(
        "Let Docker and other clients get their tokens for the registry from your login. The command names the credential helper for one registry in ~/.docker/config.json, or in the folder of DOCKER_CONFIG. If REGISTRY_AUTH_FILE is set, it does the same in that file, for podman, buildah and skopeo.",
      )
      .argument(
        "[host]",
        "Host of the registry, with its port if it has one. The default is the registry of your login.",
        hostOf,
      )
      .option("--remove", "Take the credential helper out again."),
    "platformctl auth docker",
    "platformctl auth docker registry.example.com",
    "platformctl auth docker --remove",
  ).action(setUpClients);
}

function hostOf(text: string): string {
  const url = URL.parse(`https://${text}`);
  if (url && text !== "" && url.pathname === "/" && !/[/@?#\s]/.test(text)) return text;
  throw new InvalidArgumentError("Name only the host, such as registry.example.com.");
}

/** Names the credential helper in the files of clients, for a host or for the registry of the login. */
export async function setUpClients(
  given: string | undefined,
  options: JsonOption & { remove?: boolean },
): Promise<void> {
  const host = given ?? new URL((await findAccount()).registryUrl).host;
  const isWanted = options.remove !== true;
  const changes: HelperChange[] = [];
  for (const file of helperFiles(here().env)) changes.push(await setHelper(file, host, isWanted));
  printAnswer(options, { host, changes }, changes.map((change) => lineOf(host, change)).join("\n"));
  if (!isWanted) return;
  if (!options.json && changes.some(({ before, after }) => before !== after))
    note(`To undo it: platformctl auth docker ${host} --remove`);
  if (!(await isOnPath(here().env)))
    note(`Put ${program} on the PATH, because clients start it by this name.`);
}

function lineOf(host: string, { file, before, after }: HelperChange): string {
  if (before === after)
    return after === helperName
      ? `${file} already names the helper "${helperName}" for ${host}. Nothing was changed.`
      : `${file} does not name the helper "${helperName}" for ${host}. Nothing was changed.`;
  if (after === undefined) return `Removed ${host} from credHelpers in ${file}.`;
  const replaced = before === undefined ? "" : ` It replaces the helper "${before}".`;
  return `Added "${host}": "${helperName}" to credHelpers in ${file}.${replaced}`;
}

async function isOnPath(env: NodeJS.ProcessEnv): Promise<boolean> {
  const names = process.platform === "win32" ? [".cmd", ".exe"] : [""];
  const files = (env.PATH ?? "")
    .split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => names.map((end) => join(folder, `${program}${end}`)));
  const found = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
