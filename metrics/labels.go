package metrics

import (
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// other is the label value for everything outside a fixed set. Without such sets, a client could create any number of
// series.
const other = "other"

// ErrorNotReady is the error type of a call to a model that its server is still loading.
const ErrorNotReady = "model_not_ready"

// The fixed sets of label values.
var (
	dialects = []string{"messages", "bedrock_invoke", "bedrock_converse", "bedrock_count", "vertex", "chat"}

	// The error types of the Messages API, and [ErrorNotReady] for calls. An upstream's own types count as other.
	errorTypes = []string{
		messages.ErrorInvalidRequest, messages.ErrorAuthentication, messages.ErrorBilling, messages.ErrorPermission,
		messages.ErrorNotFound, messages.ErrorConflict, messages.ErrorTooLarge, messages.ErrorRateLimit,
		messages.ErrorAPI, messages.ErrorTimeout, messages.ErrorOverloaded, ErrorNotReady,
	}

	// How the proxy can read a tool call.
	outcomes = outcomeKinds()

	// What can happen to a constraint: see [Exchange.Constraint].
	constraintResults = []string{"held", "ignored", "refused", "skipped"}

	// The words in the dotted names of fields that the proxy may drop, in the Messages API
	// (docs/reference/messages-api.md §2 to §7), in Bedrock's APIs (docs/reference/bedrock.md §2, §5) and in Chat
	// Completions (docs/reference/clients.md §8).
	fieldWords = newSet(`
		system billing_header messages content source tools tool_choice type
		thinking output_config output_format metadata service_tier speed cache_control container inference_geo
		diagnostics user_profile_id context_management compaction fallbacks fallback_credit_token billing_policy
		thread mcp_servers anthropic_version anthropic_beta temperature top_p top_k max_tokens
		answer citations transformations caller toolset_name effort task_budget format
		strict input_examples defer_loading eager_input_streaming allowed_callers tool_search_tool
		web_search web_fetch code_execution mcp_toolset mcp_tool_reference mcp_toolset_reference advisor systemTool
		redacted_thinking server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result
		bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result
		container_upload mcp_tool_use mcp_tool_result mcp_tool_listing fallback advisor_tool_result browser_state
		performanceConfig performanceConfigLatency serviceTier requestMetadata promptVariables trace guardrailConfig
		inferenceConfig maxTokens topP stopSequences toolConfig toolChoice tool toolSpec outputConfig textFormat structure jsonSchema
		additionalModelRequestFields additionalModelResponseFieldPaths cachePoint guardContent text qualifiers
		input_schema inputSchema json toolUse toolResult reasoningContent reasoningText image document name description input converse invokeModel body
		n seed frequency_penalty presence_penalty logit_bias logprobs top_logprobs audio modalities functions function_call function
		web_search_options verbosity user store prediction safety_identifier prompt_cache_key prompt_cache_retention
		stream_options include_obfuscation max_completion_tokens reasoning_effort response_format allowed_tools custom file input_audio
		image_url detail`)
)

// outcomeKinds returns all outcomes of a tool call.
func outcomeKinds() (kinds []string) {
	for _, kind := range messages.OutcomeKinds {
		kinds = append(kinds, string(kind))
	}
	return kinds
}

// pathWords are the further field names that a request can have in these APIs.
var pathWords = newSet(`
	model modelId stream stop_sequences role name id input tool_use_id tool_name is_error
	json_schema schema data media_type url file_id title context signature display budget_tokens disable_parallel_tool_use
	display_number display_height_px display_width_px enable_zoom max_characters user_id enabled
	limit after_id before_id maxResults nextToken x-dragoman-dry-run Content-Encoding amazon-bedrock-guardrailConfig tagSuffix
	tool_calls tool_call_id arguments parameters refusal reasoning_content stop mode parallel_tool_calls include_usage
	tool_use tool_result search_result tool_reference ttl redactedContent
	max_tokens_to_sample max_gen_len inputText textGenerationConfig prompt
	bytes status toolUseId s3Location source any auto guardrailIdentifier guardrailVersion streamProcessingMode
	$ref $defs definitions properties items required enum anyOf oneOf allOf not additionalProperties patternProperties prefixItems minimum maximum default`)

// Path returns the path of a request's field, such as "messages.3.content", in a form that is safe to log. A name that
// these APIs do not have is the client's own, so Path replaces it by "*". It also cuts the path after 12 names.
func Path(path string) string {
	const most = 12
	names := strings.Split(path, ".")
	for i, name := range names[:min(len(names), most)] {
		if !fieldWords[name] && !pathWords[name] && (len(name) > 6 || strings.Trim(name, "0123456789") != "") {
			names[i] = "*"
		}
	}
	if len(names) > most {
		names = append(names[:most], "*")
	}
	return strings.Join(names, ".")
}

// ErrorType returns typ if the Messages API has this error type, and "other" if not: the type is then an upstream's
// own. The result is safe for labels and the log.
func ErrorType(typ string) string {
	if typ == "" {
		return ""
	}
	return oneOf(errorTypes, typ)
}

// fieldDepth is the number of words in the longest name of a dropped field:
// messages.content.content.content.cache_control.
const fieldDepth = 5

// Field returns the name of a dropped field if the API has that field, and "other" if not. A name that the API does not
// have is the client's own text, which must not reach labels or the log.
func Field(name string) string {
	words := 0
	for word := range strings.SplitSeq(name, ".") {
		if words++; words > fieldDepth || !fieldWords[word] {
			return other
		}
	}
	return name
}

// newSet returns the set of the words in a text.
func newSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// oneOf returns s if it is in the set, else other.
func oneOf(set []string, s string) string {
	if slices.Contains(set, s) {
		return s
	}
	return other
}

// statusClass returns the class of an HTTP status, such as "2xx" for 200, and "other" for anything that is not an HTTP
// status.
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return other
	}
	return string([]byte{'0' + byte(status/100), 'x', 'x'})
}
