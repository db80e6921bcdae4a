package proxy

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// converseTool is a union, like all that has a cachePoint: one member is set.
type converseTool struct {
	Spec       *converseSpec `json:"toolSpec"`
	CachePoint *cachePoint   `json:"cachePoint"`
	Rest       others        `json:",embed"`
}

type converseSpec struct {
	Name        jsontext.Value `json:"name"`
	Description jsontext.Value `json:"description"`
	InputSchema struct {
		JSON jsontext.Value `json:"json"`
		Rest others         `json:",embed"`
	} `json:"inputSchema"`
	Strict jsontext.Value `json:"strict"`
	Rest   others         `json:",embed"`
}

type converseChoice struct {
	Auto *struct{} `json:"auto"`
	Any  *struct{} `json:"any"`
	Tool *struct {
		Name jsontext.Value `json:"name"`
		Rest others         `json:",embed"`
	} `json:"tool"`
	Rest others `json:",embed"`
}

type messagesTool struct {
	Name         jsontext.Value `json:"name,omitzero"`
	Description  jsontext.Value `json:"description,omitzero"`
	InputSchema  jsontext.Value `json:"input_schema,omitzero"`
	Strict       jsontext.Value `json:"strict,omitzero"`
	CacheControl *cacheControl  `json:"cache_control,omitzero"`
}

type messagesChoice struct {
	Type string         `json:"type"`
	Name jsontext.Value `json:"name,omitzero"`
}

func (c *converter) tools(to *messagesRequest, from []converseTool) {
	const tools = "toolConfig.tools"
	for i, t := range from {
		at := element(tools, i)
		c.union(at, t.Rest, t.Spec != nil, t.CachePoint != nil)
		switch {
		case t.CachePoint != nil && len(to.Tools) > 0:
			to.Tools[len(to.Tools)-1].CacheControl = c.cache(at, t.CachePoint)
		case t.CachePoint != nil:
			c.drop(at + ".cachePoint")
		case t.Spec != nil:
			c.moved("tools", len(to.Tools), tools, i)
			to.Tools = append(to.Tools, messagesTool{
				Name:        value(t.Spec.Name),
				Description: value(t.Spec.Description),
				InputSchema: value(t.Spec.InputSchema.JSON),
				Strict:      value(t.Spec.Strict),
			})
			c.leave(at+".toolSpec", t.Spec.Rest)
			c.leave(at+".toolSpec.inputSchema", t.Spec.InputSchema.Rest)
		}
	}
}

func (c *converter) choice(at string, from *converseChoice) *messagesChoice {
	if from == nil {
		return nil
	}
	c.union(at, from.Rest, from.Auto != nil, from.Any != nil, from.Tool != nil)
	switch {
	case from.Any != nil:
		return &messagesChoice{Type: translate.ChoiceAny}
	case from.Tool != nil:
		c.leave(at+".tool", from.Tool.Rest)
		return &messagesChoice{Type: translate.ChoiceTool, Name: value(from.Tool.Name)}
	}
	return &messagesChoice{Type: translate.ChoiceAuto}
}
