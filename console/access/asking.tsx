/** Whether the person may ask about the access of others. */
import type { Capability } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { Empty } from "../elements/states.tsx";

/** The capabilities that a question about others needs. */
const asking: readonly [Capability, string][] = [
  ["CAP_IAM_ROLE_BINDINGS_LIST", "role_bindings.list"],
  ["CAP_IAM_IDENTITY_LIST", "identity.list"],
  ["CAP_IAM_ROLES_LIST", "roles.list"],
  ["CAP_IAM_IDENTITY_PROVIDERS_LIST", "identity_providers.list"],
];

/** The names of the capabilities that the person lacks to ask about the access of others. */
export function useMissingToAsk(uid: string): string[] {
  const { may } = useMay(uid);
  return asking.filter(([capability]) => may(capability) === false).map(([, name]) => name);
}

/** Says why the person cannot ask about the access of others. */
export const CannotAsk = ({ missing, on }: { missing: readonly string[]; on: string }) => (
  <Empty title="You cannot ask about the access of others here">
    <p>
      You need {missing.join(", ")} on {on}. The built-in roles <code>viewer</code> and{" "}
      <code>owner</code> have them. Ask an owner.
    </p>
  </Empty>
);
