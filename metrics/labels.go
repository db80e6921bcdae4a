package metrics

import (
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// The values of labels are bounded, or a client could make up series without end. other
// stands for all that is not in its set.
const other = "other"

// ErrorNotReady is the error type of a call whose model is still being loaded.
const ErrorNotReady = "model_not_ready"

// The sets.
var (
	dialects = []string{"messages", "bedrock_invoke", "bedrock_converse", "bedrock_count", "vertex"}

	// error.type of the Messages API, and of a call [ErrorNotReady]. An upstream's own type counts as other.
	errorTypes = []string{
		messages.ErrorInvalidRequest, messages.ErrorAuthentication, messages.ErrorBilling, messages.ErrorPermission,
		messages.ErrorNotFound, messages.ErrorConflict, messages.ErrorTooLarge, messages.ErrorRateLimit,
		messages.ErrorAPI, messages.ErrorTimeout, messages.ErrorOverloaded, ErrorNotReady,
	}

	// How a call of a tool could be read.
	outcomes = outcomeKinds()

	// What becomes of a constraint: see [Exchange.Constraint].
	constraintResults = []string{"held", "ignored", "refused", "skipped"}

	// The words of which the dotted names of fields are made that may be dropped: of the
	// Messages API (docs/reference/messages-api.md §2 to §7) and of Bedrock
	// (docs/reference/bedrock.md §2, §5).
	fieldWords = newSet(`
		system billing_header messages content source tools tool_choice type
		thinking output_config output_format metadata service_tier speed cache_control container inference_geo
		diagnostics user_profile_id context_management compaction fallbacks fallback_credit_token billing_policy
		thread mcp_servers anthropic_version anthropic_beta temperature top_p top_k max_tokens
		citations transformations caller toolset_name effort task_budget format
		strict input_examples defer_loading eager_input_streaming allowed_callers tool_search_tool
		web_search web_fetch code_execution mcp_toolset mcp_tool_reference mcp_toolset_reference advisor systemTool
		redacted_thinking server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result
		bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result
		container_upload mcp_tool_use mcp_tool_result mcp_tool_listing fallback advisor_tool_result browser_state
		performanceConfig performanceConfigLatency serviceTier requestMetadata promptVariables trace guardrailConfig
		inferenceConfig maxTokens topP stopSequences toolConfig toolChoice tool toolSpec outputConfig textFormat structure jsonSchema
		additionalModelRequestFields additionalModelResponseFieldPaths cachePoint guardContent text qualifiers
		input_schema inputSchema json toolUse toolResult reasoningContent reasoningText image document name description input converse invokeModel body`)
)

// outcomeKinds returns how a call of a tool can be read.
func outcomeKinds() (kinds []string) {
	for _, kind := range messages.OutcomeKinds {
		kinds = append(kinds, string(kind))
	}
	return kinds
}

// pathWords are the other names that a field of a request can have in these APIs.
var pathWords = newSet(`
	model modelId stream stop_sequences role name id input tool_use_id tool_name is_error
	json_schema schema data media_type url file_id title context signature display budget_tokens disable_parallel_tool_use
	display_number display_height_px display_width_px enable_zoom max_characters user_id enabled
	limit after_id before_id maxResults nextToken x-dragoman-dry-run Content-Encoding amazon-bedrock-guardrailConfig tagSuffix
	custom tool_use tool_result search_result tool_reference ttl redactedContent
	max_tokens_to_sample max_gen_len inputText textGenerationConfig prompt
	bytes status toolUseId s3Location source any auto guardrailIdentifier guardrailVersion streamProcessingMode
	$ref $defs definitions properties items required enum anyOf oneOf allOf not additionalProperties patternProperties prefixItems minimum maximum default`)

// Path returns the path of a field of a request, such as "messages.3.content", as it may
// stand in the log. A name that these APIs do not have is the client's own, and "*" there;
// so is what follows the first 12 names.
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

// ErrorType returns the type of an error as it may stand in a label and in the log: "other"
// for one that the Messages API does not have, which is an upstream's own.
func ErrorType(typ string) string {
	if typ == "" {
		return ""
	}
	return oneOf(errorTypes, typ)
}

// fieldDepth is the most words that the name of a dropped field has:
// messages.content.content.content.cache_control.
const fieldDepth = 5

// Field returns the name of a dropped field as it may stand in a label and in the log.
// It is "other" for a field that the API does not have: the client made the name up, so
// it is a part of the request's body.
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

// statusClass returns "2xx" for 200, and so on; other for what is no status of HTTP.
func statusClass(status int) string {
	if status < 100 || status > 599 {
		return other
	}
	return string([]byte{'0' + byte(status/100), 'x', 'x'})
}
