import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type {
  CompleteRequest,
  EmbedRequest,
  Message,
  Tool,
} from "@factory/schema/proto/generated/factory/model/v1/model_invocation";

/** How a vendor departs from the common form of a request. */
interface RequestForm {
  /** Whether the answer is sent piece by piece. */
  readonly isStreamed: boolean;
  /** The name of the member with the most tokens of the answer. Newer models of some vendors take another one. */
  readonly maxTokensMember: "max_tokens" | "max_completion_tokens";
}

/** The body of `POST /chat/completions` for a checked request. Absent members are left to the vendor. */
export function chatBody(request: CompleteRequest, model: string, form: RequestForm): string {
  const { messages, tools, toolChoice, maxTokens, temperature, topP, stop, seed, responseSchemaJson } = request;
  return JSON.stringify({
    model,
    messages: messages.map(messageBody),
    ...(tools.length > 0 && { tools: tools.map(toolBody) }),
    ...(toolChoice !== "" && { tool_choice: choiceOf(toolChoice) }),
    ...(maxTokens !== undefined && { [form.maxTokensMember]: maxTokens }),
    temperature,
    top_p: topP,
    ...(stop.length > 0 && { stop }),
    seed,
    ...(responseSchemaJson !== "" && {
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", strict: true, schema: parseForeignJson(responseSchemaJson) },
      },
    }),
    ...(form.isStreamed && { stream: true, stream_options: { include_usage: true } }),
  });
}

/** The body of `POST /embeddings`. Base64 is a quarter of the size of decimal numbers. */
export function embeddingBody({ inputs, dimensions }: EmbedRequest, model: string): string {
  return JSON.stringify({ model, input: inputs, dimensions, encoding_format: "base64" });
}

function messageBody({ role, content, toolCalls, toolCallId, name }: Message): object {
  return {
    role,
    // Vendors want null where a message has only calls.
    content: content === "" && toolCalls.length > 0 ? null : content,
    ...(name !== "" && { name }),
    ...(toolCallId !== "" && { tool_call_id: toolCallId }),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: call.argumentsJson },
      })),
    }),
  };
}

function toolBody({ name, description, parametersJson }: Tool): object {
  return {
    type: "function",
    function: {
      name,
      ...(description !== "" && { description }),
      ...(parametersJson !== "" && { parameters: parseForeignJson(parametersJson) }),
    },
  };
}

const generalChoices: readonly string[] = ["auto", "none", "required"];

const choiceOf = (choice: string): unknown =>
  generalChoices.includes(choice) ? choice : { type: "function", function: { name: choice } };
