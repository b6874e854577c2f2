import {
  AWSMarketplaceSubscriptions,
  Entitlements,
  LibraryPolicies,
  LibraryPolicyBindings,
  LibraryPolicyBlockEvents,
  Malware,
  NpmPackages,
  ResolutionCache,
} from "../../schema/gen/platform/libraries/unimplemented_pb.js";
import { unimplementedService } from "../rpc/service.ts";

/** Services of version 1 that only sellers of packages use. */
export const unimplemented = [
  Entitlements,
  AWSMarketplaceSubscriptions,
  Malware,
  NpmPackages,
  LibraryPolicies,
  LibraryPolicyBindings,
  LibraryPolicyBlockEvents,
  ResolutionCache,
].map(unimplementedService);
