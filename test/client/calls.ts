/** Calls of a client whose operation is chosen at run time. */
import type { JsonObject } from "@bufbuild/protobuf";
import { type Client, createClient, type Operation, staticToken } from "platform-api/client";
import { baseUrl } from "../world/platform.ts";

/** A client of the platform under test. */
export const clientOf = (token: string): Client =>
  createClient({ url: baseUrl(), token: staticToken(token) });

type Method = (...parameters: unknown[]) => Promise<unknown> & { page(): Promise<unknown> };

/** The method of the client for an operation, with the request split into its parameters. */
export function viaMethod(
  client: Client,
  name: string,
  { form, body }: Operation,
  request: JsonObject,
): Promise<unknown> {
  const [resource = "", method = ""] = name.split(".");
  const resources = client as unknown as Record<string, Record<string, Method>>;
  const call = resources[resource]?.[method];
  if (!call) throw new Error(`the client has no ${name}`);
  const made = request[body] as JsonObject | undefined;
  switch (form) {
    case "list":
      return call(request).page();
    case "get":
    case "delete":
      return call(request.uid);
    case "create":
      return call(request.parent, made);
    case "update":
      return call(made?.uid, made);
    case "plain":
      return call(request);
  }
}
