import { type ASTVisitor, GraphQLError, print, type ValidationContext } from "graphql";
import { documentLimits, limitProblem } from "./execution/document-limits.js";

/** Tokens of one document; graphql-js stops reading there. */
export const { maxTokens } = documentLimits;

/** Depth, aliases, root fields and cost, refused before anything is planned. */
export function limitsRule(context: ValidationContext): ASTVisitor {
  const document = context.getDocument();
  const text = document.loc?.source.body ?? print(document);
  const problem = limitProblem(document, Buffer.byteLength(text));
  if (problem)
    // Apollo puts its own code over that of every rule
    context.reportError(new GraphQLError(problem.detail, { extensions: { code: "TOO_COMPLEX", tooComplex: true } }));
  return {};
}
