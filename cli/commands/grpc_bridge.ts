/** `platformctl grpc-bridge`: native gRPC for a platform that runs as a Worker. */
import { type Command, InvalidArgumentError } from "commander";
import { refusedFailure } from "../failure.ts";
import { packageJson } from "../project.ts";
import { addJsonOption, parseHttpUrl } from "./answer.ts";

/** Adds `grpc-bridge`. */
export function addGrpcBridge(program: Command): void {
  addJsonOption(
    program
      .command("grpc-bridge")
      .description(
        "Serve native gRPC (HTTP/2 without TLS) for a platform until you stop the command.",
      )
      .requiredOption(
        "--bind <[host:]port>",
        "Address to listen on. The default host is 127.0.0.1.",
        address,
      )
      .requiredOption("--upstream <url>", "Address of the platform.", parseHttpUrl)
      .option(
        "--vendor <name>",
        "The VENDOR that the platform is configured with. Reflection then also serves names with this prefix.",
      ),
    "platformctl grpc-bridge --bind 50051 --upstream https://api.example.com",
    "grpcurl -plaintext localhost:50051 list",
  ).action(async (options: { bind: string; upstream: string; vendor?: string }) => {
    // These libraries take longer to load than all other commands take to start.
    const { runGrpcBridge } = await import("../grpc/bridge.ts").catch(explain);
    try {
      await runGrpcBridge({ ...options, listen: options.bind });
    } catch (error) {
      const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
      if (isTaken) {
        throw refusedFailure(
          "PORT",
          `${options.bind} is already in use. Choose another port with --bind.`,
        );
      }
      const why = error instanceof Error ? error.message : String(error);
      throw refusedFailure("LISTEN", `Cannot listen on ${options.bind}: ${why}`);
    }
  });
}

/** The package does not install the libraries of this command. */
function explain(error: unknown): never {
  const isMissing =
    error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  if (!isMissing) throw error;
  const names = Object.entries(packageJson().peerDependencies).map((dependency) =>
    dependency.join("@"),
  );
  throw refusedFailure(
    "PACKAGES",
    `grpc-bridge needs two more packages. Run: npm install ${names.join(" ")}`,
  );
}

function address(value: string): string {
  if (/^(.+:)?\d{1,5}$/.test(value)) return value;
  throw new InvalidArgumentError("It must be a port, or a host, a colon and a port.");
}
