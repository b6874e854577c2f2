/** The answer of the doctor in one sentence. */
import { Link } from "wouter-preact";
import type { DiagnoseTokenResponse, IdentityDiagnosis } from "../../client/index.ts";
import { Icon } from "../elements/icon.tsx";
import { addresses } from "../frame/addresses.ts";

const accepted = "TOKEN_ACCEPTANCE_ACCEPTED";
const undecided = "TOKEN_ACCEPTANCE_UNDECIDED";

/** Names in a sentence. */
const maxNames = 3;

/** One sentence about all identities. */
export function Verdict({ identities = [] }: Pick<DiagnoseTokenResponse, "identities">) {
  const find = (wanted: string) =>
    identities.filter(({ exchange, bearer }) => exchange === wanted || bearer === wanted);
  const [accepting, possible] = [find(accepted), find(undecided)];
  if (accepting.length > 0)
    return (
      <p class="identities-verdict good" role="status">
        <Icon name="check" /> <Names all={accepting} />{" "}
        {accepting.length === 1 ? "accepts" : "accept"} this token.
      </p>
    );
  if (possible.length > 0)
    return (
      <p class="identities-verdict warn" role="status">
        <Icon name="warning" /> The claims match <Names all={possible} />. Not everything was
        checked.
      </p>
    );
  return (
    <p class="identities-verdict bad" role="status">
      <Icon name="close" />{" "}
      {identities[0] ? (
        <>
          No identity here accepts this token. The closest is <NameLink identity={identities[0]} />.
        </>
      ) : (
        "There is no identity here that could accept this token."
      )}
    </p>
  );
}

function Names({ all }: { all: readonly IdentityDiagnosis[] }) {
  const rest = all.length - maxNames;
  return (
    <>
      {all.slice(0, maxNames).map((identity, index) => (
        <span key={identity.uid}>
          {index > 0 && ", "}
          <NameLink identity={identity} />
        </span>
      ))}
      {rest > 0 && ` and ${rest} more`}
    </>
  );
}

const NameLink = ({ identity: { uid = "", name } }: { identity: IdentityDiagnosis }) => (
  <Link href={addresses.identity(uid)}>
    <bdi>{name}</bdi>
  </Link>
);
