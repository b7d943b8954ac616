import { parseForeignJson } from "@factory/runtime/json/kept-numbers";
import type {
  CompleteRequest,
  EmbedRequest,
  Message,
  Tool,
} from "@factory/schema/proto/generated/factory/model/v1/model_invocation";

/** How a vendor departs from a request's common form. */
interface RequestForm {
  /** Whether the answer is sent piece by piece. */
  readonly isStreamed: boolean;
  /** The request member that limits the answer's tokens. Some vendors' newer models take another one. */
  readonly maxTokensMember: "max_tokens" | "max_completion_tokens";
}

/** The body for `POST /chat/completions` with a checked request. Absent members are left to the vendor. */
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

/** The body for `POST /embeddings`. Base64 takes a quarter of the bytes that decimal numbers take. */
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
